#pragma once

#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/sources/sink.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace millrace {

// A sink refused. The message names the step and what the sink said.
class write_failure : public std::runtime_error {
 public:
  write_failure(const std::string& step, const std::string& cause)
      : std::runtime_error("step \"" + step + "\" cannot write: " + cause) {}
};

// Gives the elements of one shard to a writer of a sink, and takes part in epochs for it. It has no output. A writer
// that has end_bundle() is told when a bundle has been written.
template <writable Sink>
class write_operator final : public stage_operator, public epoch_participant, public receiver<typename Sink::element> {
 public:
  using element = typename Sink::element;

  write_operator(const Sink& sink, const operator_environment& in) : sink_(sink), in_(in) {}

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<element>&>(*this); }
  void connect(std::size_t /*output*/, receiver_ref /*next*/) override {
    check(false, "a write has no output to connect");
  }
  epoch_participant* as_epoch_participant() override { return this; }

  void setup() override {
    naming_step([&] { writer_ = std::unique_ptr<opened>(new opened{sink_.open(in_)}); });
  }
  void accept(const batch<element>& in) override {
    in_.metrics.elements_in += in.count;
    naming_step([&] {
      in.each([&](std::uint32_t p, const element& value) {
        writer_->to.write(value, in.at->time_at(p), in.at->context_at(p));
      });
    });
  }
  void finish_bundle() override {
    if constexpr (requires { writer_->to.end_bundle(); }) naming_step([&] { writer_->to.end_bundle(); });
  }

  void snapshot(writer& to) const override { writer_->to.snapshot(to); }
  void restore(reader& from) override {
    naming_step([&] { writer_->to.restore(from); });
  }
  void prepare(std::uint64_t epoch) override {
    naming_step([&] { writer_->to.prepare(epoch); });
  }
  void commit(std::uint64_t epoch) override {
    naming_step([&] { writer_->to.commit(epoch); });
  }
  // A writer that cannot clean up has nobody left to tell.
  void abort() noexcept override {
    try {
      if (writer_) writer_->to.abort();
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }
  void teardown() noexcept override { writer_.reset(); }

 private:
  // Stays where it was opened, so that writers need not be movable.
  struct opened {
    decltype(std::declval<const Sink&>().open(std::declval<const operator_environment&>())) to;
  };

  // Lets nothing but broken invariants and damaged snapshots pass without the name of the step.
  template <class Body>
  void naming_step(Body&& body) {
    try {
      body();
    } catch (const broken_invariant&) {
      throw;
    } catch (const decode_error&) {
      throw;
    } catch (const std::exception& e) {
      throw write_failure(in_.step, e.what());
    }
  }

  const Sink& sink_;  // of the spec, which outlives its operators
  operator_environment in_;
  std::unique_ptr<opened> writer_;
};

}  // namespace millrace
