#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/state/group_buffers.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace millrace::transcripts {

// A pane as it came out, with the values that its buffer had.
struct collected_pane {
  std::string key;
  std::vector<std::string> values;
  stamp at;
  bool empty = false;
};

// Buffers of text that keep every pane that they are asked to emit. Uses of a buffer that is not alive throw.
class collected_panes final : public group_buffers {
 public:
  // The values that rows stand for until the end of the bundle.
  void set_rows(std::vector<std::string> rows) { rows_ = std::move(rows); }
  // The panes since the last call.
  std::vector<collected_pane> take() { return std::exchange(panes_, {}); }
  [[nodiscard]] std::size_t alive() const { return buffers_.size() - free_.size(); }

  buffer_id create() override {
    if (free_.empty()) {
      buffers_.emplace_back();
      live_.push_back(true);
      return static_cast<buffer_id>(buffers_.size() - 1);
    }
    const buffer_id id = free_.back();
    free_.pop_back();
    live_[id] = true;
    return id;
  }
  void add(buffer_id to, std::uint32_t row) override { at(to).push_back(rows_.at(row)); }
  void merge(buffer_id into, buffer_id from) override {
    at(into).insert(at(into).end(), at(from).begin(), at(from).end());
  }
  void clear(buffer_id of) override { at(of).clear(); }
  void release(buffer_id of) override {
    at(of).clear();
    live_[of] = false;
    free_.push_back(of);
  }
  void emit(const fired_pane& pane) override {
    panes_.push_back({std::string(pane.key), at(pane.buffer), pane.at, pane.empty});
  }
  void encode(buffer_id of, writer& out) const override {
    out.varint(buffers_.at(of).size());
    for (const std::string& value : buffers_.at(of)) {
      out.varint(value.size());
      out.put(std::string_view{value});
    }
  }
  buffer_id decode(reader& in) override {
    const buffer_id made = create();
    for (std::size_t values = in.count(); values > 0; --values) at(made).emplace_back(in.take(in.count()));
    return made;
  }

 private:
  std::vector<std::string>& at(buffer_id id) {
    if (!live_.at(id)) throw std::logic_error("a buffer is used after its release");
    return buffers_[id];
  }

  std::vector<std::string> rows_;
  std::vector<std::vector<std::string>> buffers_;
  std::vector<bool> live_;
  std::vector<buffer_id> free_;
  std::vector<collected_pane> panes_;
};

}  // namespace millrace::transcripts
