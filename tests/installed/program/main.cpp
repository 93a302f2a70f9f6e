#include <millrace/actors/protocol/watermark_merge.hpp>
#include <millrace/io/utf8.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <iostream>
#include <string>

namespace mr = millrace;

int main() {
  mr::pipeline greeting{"greeting"};
  greeting | mr::create<std::string>("words", {"found", "lost", "built"})
      | mr::filter("kept", [](const std::string& word) { return word != "lost"; })
      | mr::map("said", [](const std::string& word) {
          std::cout << "millrace was " << word << "\n";
          return word;
        });
  mr::run_direct(greeting);
}
