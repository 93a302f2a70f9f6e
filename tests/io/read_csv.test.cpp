#include "temporary_folder.hpp"

#include <millrace/io/read_csv.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::read_csv_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct item {
  std::int64_t id = 0;
  std::string t;
  friend bool operator==(const item&, const item&) = default;
};

struct order {
  std::string name;
  std::optional<double> price;
  std::optional<std::string> note;
  bool paid = false;
  timestamp at;
  friend bool operator==(const order&, const order&) = default;
};

template <class T>
std::vector<T> records_of(const std::filesystem::path& file, csv_options options = {}) {
  pipeline p("test");
  recording<T> found;
  p | read_csv<T>("read", file.string(), options) | collect("collect", found);
  run_direct(p);
  return found.values();
}

template <class T>
std::pair<std::vector<T>, std::vector<failed<std::string>>> with_failures(const std::filesystem::path& file) {
  pipeline p("test");
  recording<T> found;
  recording<failed<std::string>> failures;
  auto [good, bad] = p | read_csv<T>("read", file.string(), with_errors);
  good | collect("good", found);
  bad | collect("bad", failures);
  run_direct(p);
  return {found.values(), failures.values()};
}

TEST(read_csv, reads_line_ends_inside_quotes_U47_3) {
  const temporary_folder folder;
  const auto file = folder.write("a.csv", "id,t\n1,\"x\ny\"\n2,z\n");
  EXPECT_THAT(records_of<item>(file), ElementsAre(item{1, "x\ny"}, item{2, "z"}));
}

TEST(read_csv, reads_a_byte_order_mark_quoted_names_and_delimiters_U47_4) {
  const temporary_folder folder;
  const auto file = folder.write("a.csv", "\xEF\xBB\xBF\"id\",\"t\"\r\n1,\"a,b\"\r\n");
  EXPECT_THAT(records_of<item>(file), ElementsAre(item{1, "a,b"}));
}

TEST(read_csv, takes_columns_in_any_order_and_fields_that_lack) {
  const temporary_folder folder;
  const auto file = folder.write("a.csv", "at;paid;name;price\n"
                                          "1970-01-01T00:00:01Z;true;\"say \"\"hi\"\"\";1.5\n\n"
                                          "1970-01-01T00:00:02Z;false;;\n");
  EXPECT_THAT(records_of<order>(file, {.delimiter = ';'}),
              ElementsAre(order{"say \"hi\"", 1.5, std::nullopt, true, timestamp{1000}},
                          order{"", std::nullopt, std::nullopt, false, timestamp{2000}}));
}

TEST(read_csv, goes_on_at_every_record) {
  const temporary_folder folder;
  const auto path = folder.write("a.csv", "id,t\n1,\"x\ny\"\n2,z\n\n3,\"\n\"\n").string();
  const auto whole = split_csv_files(path, {});
  ASSERT_THAT(whole, SizeIs(1));
  std::vector<std::string> texts;
  text_split left = whole.front();
  for (bool more = true; more;) {
    csv_file_reader reader(left, {}, detail::csv_fields_of<item>);
    more = reader.next();
    item x;
    if (more) {
      ASSERT_TRUE(reader.fill(&x)) << reader.fault();
      texts.push_back(std::to_string(x.id) + x.t);
    }
    left = reader.remaining();
  }
  EXPECT_THAT(texts, ElementsAre("1x\ny", "2z", "3\n"));
}

TEST(read_csv, names_column_value_and_place_of_what_does_not_fit) {
  const temporary_folder folder;
  const auto file = folder.write("a.csv", "id,t\nx,a\n2,b\n3\n4,c,d\n5,e\"e\n6,\"f\"f\n7,g\n8,\"h\n");
  const auto [good, bad] = with_failures<item>(file);
  EXPECT_THAT(good, ElementsAre(item{2, "b"}, item{7, "g"}));
  ASSERT_THAT(bad, SizeIs(6));
  EXPECT_EQ(bad[0].element, "x,a");
  EXPECT_EQ(bad[0].step, "read");
  EXPECT_EQ(bad[0].message, file.string()
                                + ", offset 5: column \"id\": \"x\" is not an integer from "
                                  "-9223372036854775808 to 9223372036854775807");
  EXPECT_THAT(bad[1].message, HasSubstr("offset 13: the record has 1 field, but the header has 2 columns"));
  EXPECT_THAT(bad[2].message, HasSubstr("the record has 3 fields, but the header has 2 columns"));
  EXPECT_THAT(bad[3].message, HasSubstr("field \"e\"e\" has a quote inside"));
  EXPECT_THAT(bad[4].message, HasSubstr("field \"f\" is followed by \"f\" instead of the delimiter"));
  EXPECT_THAT(bad[5].message, HasSubstr("a quoted field is not closed before the end of the file"));
}

TEST(read_csv, gives_every_record_of_a_file_without_a_needed_column_to_the_error_output) {
  const temporary_folder folder;
  const auto [good, bad] = with_failures<item>(folder.write("a.csv", "id,text\n1,a\n2,b\n"));
  EXPECT_THAT(good, SizeIs(0));
  ASSERT_THAT(bad, SizeIs(2));
  EXPECT_THAT(bad[0].message, HasSubstr("the header has a column \"text\", which no field is named after"));
  const auto lacking = with_failures<item>(folder.write("b.csv", "id\n1\n")).second;
  ASSERT_THAT(lacking, SizeIs(1));
  EXPECT_THAT(lacking[0].message, HasSubstr("the header lacks column \"t\"; its columns are \"id\""));
  const auto twice = with_failures<item>(folder.write("c.csv", "id,t,id\n1,2,3\n")).second;
  ASSERT_THAT(twice, SizeIs(1));
  EXPECT_THAT(twice[0].message, HasSubstr("column \"id\" twice"));
}

TEST(read_csv, tells_of_a_header_at_fault_that_no_record_follows) {
  const temporary_folder folder;
  const auto [good, bad] = with_failures<item>(folder.write("a.csv", "x,y\n"));
  EXPECT_THAT(good, SizeIs(0));
  ASSERT_THAT(bad, SizeIs(1));
  EXPECT_EQ(bad[0].element, "x,y");
  EXPECT_THAT(bad[0].message, HasSubstr("the header has a column \"x\", which no field is named after"));
  EXPECT_THROW(static_cast<void>(records_of<item>(folder.write("b.csv", "id,t\r1,a\r2,b\r"))), std::exception)
      << "lines that end in CR alone are one";
  EXPECT_THAT(records_of<item>(folder.write("c.csv", "id,t\n")), SizeIs(0));
  EXPECT_THAT(records_of<item>(folder.write("d.csv", "")), SizeIs(0));
}

TEST(read_csv, skips_unknown_columns_if_it_may) {
  const temporary_folder folder;
  const auto file = folder.write("a.csv", "x,id,y,t\n9,1,9,a\n");
  EXPECT_THAT(records_of<item>(file, {.ignore_unknown = true}), ElementsAre(item{1, "a"}));
  EXPECT_THROW(static_cast<void>(records_of<item>(file)), std::exception);
}

TEST(read_csv, bounds_a_record_whose_quote_is_never_closed) {
  const temporary_folder folder;
  std::string text = "id,t\n1,\"";
  for (int i = 0; i < 1000; ++i) text += "2,z\n";
  csv_file_reader reader(split_csv_files(folder.write("a.csv", text).string(), {}).front(), {.record_bytes_max = 100},
                         detail::csv_fields_of<item>);
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.fault(), HasSubstr("the record is longer than 100 bytes; is a quote not closed?"));
  EXPECT_LT(reader.text().size(), 110U);
}

TEST(write_csv, writes_what_read_csv_reads) {
  const temporary_folder folder;
  const std::vector<order> orders{{"a,b", 0.1, "", true, timestamp{1}},
                                  {"line\nend", std::nullopt, std::nullopt, false, timestamp{0}},
                                  {"quote\"", 1e300, "n", false, timestamp{-1}}};
  pipeline p("test");
  p | create("orders", orders) | write_csv("write", (folder.path() / "out").string(), {.shards = 1, .suffix = ".csv"});
  run_direct(p);
  const auto file = folder.path() / "out-00000-of-00001.csv";
  EXPECT_TRUE(content_of(file).starts_with("name,price,note,paid,at\n"));
  EXPECT_THAT(records_of<order>(file), ::testing::UnorderedElementsAreArray(orders));
}

TEST(write_csv, skips_empty_files_if_told_to_15_4) {
  const temporary_folder folder;
  pipeline p("test");
  p | create<order>("none", {})
      | write_csv("write", (folder.path() / "out").string(), {.suffix = ".csv", .skip_if_empty = true});
  run_direct(p);
  EXPECT_TRUE(folder.names().empty());
}

struct lone {
  std::optional<int> x;
};

TEST(to_csv_record, is_no_empty_line_and_names_the_field_that_has_no_form) {
  EXPECT_EQ(to_csv_record(lone{}), "\"\"");
  EXPECT_EQ(to_csv_record(item{1, ""}), "1,");
  order endless;
  endless.price = std::numeric_limits<double>::infinity();
  try {
    static_cast<void>(to_csv_record(endless));
    FAIL() << "infinity was written";
  } catch (const std::invalid_argument& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("field 'price'"));
  }
}

}  // namespace
}  // namespace millrace::read_csv_test
