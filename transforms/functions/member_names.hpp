#pragma once

// Whether a function object has one member of an optional call's name that its constraints do not rule out, whatever
// its parameters: if nothing can call it, that is a mistake, which would else pass in silence.
namespace millrace::detail {

template <class Fn>
concept names_setup = requires { &Fn::setup; };
template <class Fn>
concept names_teardown = requires { &Fn::teardown; };
template <class Fn>
concept names_start_bundle = requires { &Fn::start_bundle; };
template <class Fn>
concept names_finish_bundle = requires { &Fn::finish_bundle; };
template <class Fn>
concept names_on_window_expiration = requires { &Fn::on_window_expiration; };
template <class Fn>
concept names_truncate = requires { &Fn::truncate; };

}  // namespace millrace::detail
