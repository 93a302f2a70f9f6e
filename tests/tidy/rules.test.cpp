#include <millrace/tests/tidy/rules.hpp>

#include <gtest/gtest.h>

#include <string>

namespace millrace::tidy::rules_test {
namespace {

std::string only_what(const offences& found) {
  return found.size() == 1 ? found.front().what : std::to_string(found.size()) + " offences";
}

offences included(const std::string& path, const std::string& header) {
  return wrong_includes({path, "#pragma once\n#include " + header + "\n"});
}

std::string function_of(int lines) {
  std::string text = "int f(int x) {\n";
  for (int i = 2; i < lines; ++i) text += "  ++x;\n";
  return text + "}\n";
}

TEST(tidy_includes, keeps_actors_and_files_apart) {
  EXPECT_EQ(only_what(included("io/print.hpp", "<millrace/actors/job.hpp>")),
            "io/ may not include millrace/actors/job.hpp");
  EXPECT_EQ(included("actors/job.hpp", "<millrace/io/print.hpp>").size(), 1U);
  EXPECT_EQ(included("transforms/map.hpp", "<millrace/io/print.hpp>").size(), 1U);
  EXPECT_TRUE(included("actors/job.hpp", "<millrace/transforms/map.hpp>").empty());
}

TEST(tidy_includes, lets_nothing_include_tests_or_examples) {
  EXPECT_EQ(included("examples/wordcount.cpp", "<millrace/tests/faults.hpp>").size(), 1U);
  EXPECT_EQ(included("io/print.hpp", "<millrace/examples/telemetry/record.hpp>").size(), 1U);
  EXPECT_TRUE(included("tests/io/print.test.cpp", "<millrace/tests/faults.hpp>").empty());
}

TEST(tidy_includes, allows_each_folder_its_own_libraries) {
  EXPECT_TRUE(included("transforms/map.hpp", "<vector>").empty());
  EXPECT_TRUE(included("transforms/map.hpp", "<boost/unordered/unordered_flat_map.hpp>").empty());
  EXPECT_EQ(included("transforms/map.hpp", "<boost/json.hpp>").size(), 1U);
  EXPECT_EQ(included("transforms/map.hpp", "<unistd.h>").size(), 1U);
  EXPECT_EQ(included("transforms/map.hpp", "<caf/actor.hpp>").size(), 1U);
  EXPECT_TRUE(included("io/file.cpp", "<sys/stat.h>").empty());
  EXPECT_EQ(included("io/file.cpp", "<caf/actor.hpp>").size(), 1U);
  EXPECT_TRUE(included("actors/shard.cpp", "<caf/actor.hpp>").empty());
}

TEST(tidy_includes, keeps_caf_out_of_the_protocol_and_the_network_out_of_actors) {
  EXPECT_EQ(included("actors/protocol/credit.hpp", "<caf/actor.hpp>").size(), 1U);
  EXPECT_EQ(included("actors/engine.cpp", "<caf/io/middleman.hpp>").size(), 1U);
}

TEST(tidy_includes, leaves_umbrellas_to_users) {
  EXPECT_EQ(included("actors/job.hpp", "<millrace/transforms/all.hpp>").size(), 1U);
  EXPECT_TRUE(included("actors/all.hpp", "<millrace/transforms/all.hpp>").empty());
  EXPECT_TRUE(included("examples/wordcount.cpp", "<millrace/actors/all.hpp>").empty());
}

TEST(tidy_includes, allows_quotes_only_beside_the_file) {
  EXPECT_EQ(included("io/print.cpp", "\"../transforms/map.hpp\"").size(), 1U);
  EXPECT_TRUE(included("io/print.cpp", "\"lines.hpp\"").empty());
}

TEST(tidy_includes, keeps_the_reference_engine_independent) {
  EXPECT_EQ(only_what(included("tests/reference/engine.hpp", "<millrace/transforms/map.hpp>")),
            "the reference engine knows nothing of the product: no millrace/transforms/map.hpp");
  EXPECT_EQ(included("tests/reference/engine.cpp", "<millrace/tests/faults.hpp>").size(), 1U);
  EXPECT_EQ(included("tests/reference/engine.cpp", "<boost/container/flat_map.hpp>").size(), 1U);
  EXPECT_EQ(included("tests/reference/engine.cpp", "<gtest/gtest.h>").size(), 1U);
  EXPECT_EQ(included("tests/reference/engine.cpp", "\"../tidy/rules.hpp\"").size(), 1U);
  EXPECT_TRUE(included("tests/reference/engine.cpp", "<vector>").empty());
  EXPECT_TRUE(included("tests/reference/engine.cpp", "\"engine.hpp\"").empty());
  EXPECT_TRUE(included("tests/reference/engine.test.cpp", "<gtest/gtest.h>").empty());
  EXPECT_TRUE(included("tests/programs/random.test.cpp", "<millrace/tests/reference/engine.hpp>").empty());
}

TEST(tidy_length, counts_the_lines_of_a_file) {
  EXPECT_TRUE(too_long({"io/a.cpp", std::string(400, '\n')}).empty());
  EXPECT_EQ(only_what(too_long({"io/a.cpp", std::string(401, '\n')})), "a file of 401 lines, more than 400");
}

TEST(tidy_length, counts_the_lines_of_a_function) {
  EXPECT_TRUE(too_long({"io/a.cpp", function_of(60)}).empty());
  EXPECT_EQ(only_what(too_long({"io/a.cpp", function_of(61)})), "a function of 61 lines, more than 60: int f(int x)");
}

TEST(tidy_length, sees_functions_in_classes_and_namespaces_and_constructors) {
  EXPECT_EQ(too_long({"io/a.cpp", "namespace n {\nclass c : d<int> {\n" + function_of(61) + "};\n}\n"}).size(), 1U);
  std::string constructor = "c::c(int x) : a_{x}, b_(x) {\n" + std::string(60, '\n') + "}\n";
  EXPECT_EQ(too_long({"io/a.cpp", constructor}).size(), 1U);
  std::string constrained = "template <class T>\n  requires(x<T>)\nauto f(T t, o p = {}) -> r<T> {\n";
  EXPECT_EQ(too_long({"io/a.cpp", constrained + std::string(60, '\n') + "}\n"}).size(), 1U);
  std::string required = "template <class T>\n  requires requires(T t) { t.x; }\nvoid f(T t) {\n";
  EXPECT_EQ(too_long({"io/a.cpp", required + std::string(60, '\n') + "}\n"}).size(), 1U);
}

TEST(tidy_length, is_not_misled_by_braces_in_literals_and_comments) {
  const std::string text = "void f() {\n  g(\"}\", '}', R\"(})\", 1'000);  // }\n" + std::string(59, '\n') + "}\n";
  EXPECT_EQ(too_long({"io/a.cpp", text}).size(), 1U);
}

TEST(tidy_length, does_not_take_a_class_or_a_namespace_for_a_function) {
  const std::string lines(70, '\n');
  EXPECT_TRUE(too_long({"io/a.hpp", "namespace n {\nclass c {\n" + lines + "};\n}\n"}).empty());
  EXPECT_TRUE(too_long({"io/a.hpp", "template <class T = decltype(f())>\nstruct c {\n" + lines + "};\n"}).empty());
}

TEST(tidy_state, finds_locks_and_atomics_outside_the_inlet) {
  EXPECT_EQ(only_what(shared_state({"actors/job.hpp", "class c {\n  std::mutex m_;\n};\n"})),
            "std::mutex where a shard owns all it touches");
  EXPECT_EQ(shared_state({"transforms/map.hpp", "void f() { std::atomic<int> x; }\n"}).size(), 1U);
  EXPECT_TRUE(shared_state({"actors/inlet.hpp", "class c {\n  std::mutex m_;\n};\n"}).empty());
  EXPECT_TRUE(shared_state({"io/file.hpp", "class c {\n  std::mutex m_;\n};\n"}).empty());
}

TEST(tidy_state, finds_mutable_globals) {
  for (const char* text : {"namespace n {\nint count = 0;\n}\n", "inline std::vector<int> all;\n",
                           "std::map<int, int> table{{1, 2}};\n", "int f() {\n  static int calls = 0;\n}\n",
                           "class c {\n  static inline int live_ = 0;\n};\n", "static int next = first();\n"}) {
    EXPECT_EQ(shared_state({"transforms/a.cpp", text}).size(), 1U) << text;
  }
}

TEST(tidy_state, leaves_constants_functions_and_types_alone) {
  for (const char* text :
       {"inline constexpr int limit = 3;\n", "const std::vector<int> table{1, 2};\n", "int f(int x = 1);\n",
        "class c;\n", "template <class T>\nclass d;\n", "class c {\n  static c make();\n  int x_ = 0;\n};\n",
        "using a = b<int>;\n", "bool operator==(a, b) = default;\n", "void f() {\n  int x = 0;\n  x = 2;\n}\n",
        "template <class T>\nconcept c = requires(T t) { t.x; };\n", "enum class color { red, green };\n",
        "struct p {\n  int x = 0;\n};\n", "int f() {\n  static const int x = g();\n  return x;\n}\n"}) {
    EXPECT_TRUE(shared_state({"transforms/a.cpp", text}).empty()) << text;
  }
}

TEST(tidy_names, refuses_words_that_say_nothing) {
  EXPECT_EQ(only_what(bad_names({"io/file_helper.cpp", ""})), "the file's name says nothing: helper");
  EXPECT_EQ(only_what(bad_names({"io/a.cpp", "class job_manager {\n};\n"})),
            "the type's name says nothing: job_manager");
  EXPECT_TRUE(bad_names({"io/a.cpp", "struct pane_info {\n};\nstruct base_of {\n};\n"}).empty());
}

TEST(tidy_names, wants_pragma_once_first) {
  EXPECT_EQ(only_what(bad_names({"io/a.hpp", "#include <vector>\n"})), "a header starts with #pragma once");
  EXPECT_TRUE(bad_names({"io/a.hpp", "#pragma once\n"}).empty());
}

TEST(tidy_names, wants_a_namespace_of_its_own_in_a_test) {
  const auto named = [](const std::string& path, const std::string& space) {
    return shared_namespace({path, "namespace " + space + " {\nnamespace {\n}\n}\n"});
  };
  EXPECT_EQ(only_what(named("tests/programs/joins.test.cpp", "millrace::programs")),
            "a test's names are in a namespace named after its file: no namespace ends in ::joins_test");
  EXPECT_EQ(named("tests/programs/joins.test.cpp", "millrace::programs::windows_test").size(), 1U);
  EXPECT_TRUE(named("tests/programs/joins.test.cpp", "millrace::programs::joins_test").empty());
  EXPECT_TRUE(named("tests/actors/update.threaded.test.cpp", "millrace::update_test").empty());
  EXPECT_TRUE(named("tests/reference/laws.test.cpp", "reference").empty());
  EXPECT_TRUE(named("tests/programs/harness.cpp", "millrace::programs").empty());
}

TEST(tidy_lists, names_a_source_that_is_not_listed) {
  EXPECT_TRUE(unlisted({"io/a/b.cpp", ""}, "millrace_library(\n  io\n  SOURCES\n  a/b.cpp)\n").empty());
  EXPECT_EQ(only_what(unlisted({"io/b.cpp", ""}, "millrace_library(\n  io\n  SOURCES\n  a/b.cpp)\n")),
            "not listed in io/CMakeLists.txt");
}

}  // namespace
}  // namespace millrace::tidy::rules_test
