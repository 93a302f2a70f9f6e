// expect: millrace: this element type has no coder
#include <millrace/transforms/map.hpp>

#include <memory>

class session {
 public:
  explicit session(int id) : id_(id) {}

 private:
  int id_;
};

auto wrong(const millrace::pcollection<int>& ids) {
  return ids | millrace::map("open", [](const int& id) { return session(id); });
}
