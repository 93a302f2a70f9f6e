#include <millrace/io/compressed_file.hpp>

namespace millrace {

namespace {

constexpr std::size_t piece_bytes = 256 * 1024;

}  // namespace

compressed_reader::compressed_reader(std::filesystem::path path, compression kind)
    : path_(std::move(path)), file_(open_for_reading(path_)), decompressor_(kind, path_.string()),
      buffer_(piece_bytes) {}

std::size_t compressed_reader::read(std::span<char> buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    if (pending_.empty() && !at_end_) refill();
    const auto [consumed, produced] = decompressor_.step(pending_, buffer.subspan(done));
    pending_ = pending_.subspan(consumed);
    done += produced;
    if (at_end_ && consumed == 0 && produced == 0) {
      decompressor_.finish();
      break;
    }
  }
  return done;
}

void compressed_reader::refill() {
  const auto count = read_at(file_, offset_, buffer_, path_);
  pending_ = {buffer_.data(), count};
  offset_ += count;
  at_end_ = count < buffer_.size();
}

compressed_writer compressed_writer::create(std::filesystem::path path, compressed_writer_options options) {
  options.kind = resolve(options.kind, path);
  return {durable_file::create(std::move(path)), options};
}

compressed_writer compressed_writer::reopen(std::filesystem::path path, std::uint64_t length_bytes,
                                            compressed_writer_options options) {
  options.kind = resolve(options.kind, path);
  return {durable_file::reopen(std::move(path), length_bytes), options};
}

compressed_writer::compressed_writer(durable_file file, compressed_writer_options options) : file_(std::move(file)) {
  if (options.kind != compression::none) compressor_.emplace(options.kind, options.level);
}

void compressed_writer::write(std::string_view bytes) {
  collected_ += bytes;
  if (collected_.size() >= piece_bytes) flush();
}

std::uint64_t compressed_writer::cut() {
  flush();
  if (compressor_) {
    compressor_->end_frame(compressed_);
    flush();
  }
  return file_.position();
}

std::uint64_t compressed_writer::cut_and_sync() {
  const auto length = cut();
  file_.sync();
  return length;
}

std::uint64_t compressed_writer::finish() {
  cut();
  if (compressor_ && file_.position() == 0) {
    compressor_->empty_frame(compressed_);
    flush();
  }
  file_.close();
  return file_.position();
}

void compressed_writer::flush() {
  auto& ready = compressor_ ? compressed_ : collected_;
  if (compressor_) {
    compressor_->write(collected_, compressed_);
    collected_.clear();
  }
  file_.append(ready);
  ready.clear();
}

}  // namespace millrace
