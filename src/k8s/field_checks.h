// SPDX-License-Identifier: Apache-2.0

// Checks that fields of many kinds share. Each adds at most one violation and says whether the field passed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "k8s/field.h"
#include "k8s/name_syntax.h"
#include "k8s/violations.h"

namespace trainjobc::k8s {

// Whether the text is present and not empty.
bool check_given(const Field& field, std::string_view rule, Report& report);

// Whether the text (absent: the empty one) has the form; `what` begins the message ("container name").
bool check_form(const Field& field, Form form, std::string_view rule, std::string_view what, Report& report);
// The same for `text` in place of the field's own, which may be absent.
bool check_text(const Field& field, std::string_view text, Form form, std::string_view rule,
                std::string_view what, Report& report);
// check_given, then check_form.
bool check_name(const Field& field, Form form, std::string_view rule, std::string_view what, Report& report);
// check_form if the text is not empty.
bool check_optional_name(const Field& field, Form form, std::string_view rule, std::string_view what,
                         Report& report);

// Whether the text is one of `allowed`; absent and empty are wrong, too.
bool check_one_of(const Field& field, std::span<const std::string_view> allowed, std::string_view rule,
                  Report& report);
// The same if the field is given.
bool check_optional_one_of(const Field& field, std::span<const std::string_view> allowed,
                           std::string_view rule, Report& report);
// The same if the text is not empty; the API server has a default for an empty one.
bool check_defaulted_one_of(const Field& field, std::span<const std::string_view> allowed,
                            std::string_view rule, Report& report);

// Bounds are inclusive; an absent number passes.
bool check_range(const Field& field, int64_t least, int64_t most, std::string_view rule, Report& report);
bool check_not_negative(const Field& field, std::string_view rule, Report& report);
// An absent number counts as 0.
bool check_positive(const Field& field, std::string_view rule, Report& report);
// Whether the list has at most `most` items; `what` names them.
bool check_count(const Field& list, size_t most, std::string_view what, std::string_view rule,
                 Report& report);
// A user or group ID.
bool check_id(const Field& field, Report& report);
// The permission bits of a file.
bool check_mode(const Field& field, Report& report);
// A port: a number, or the name of one.
bool check_port_reference(const Field& field, std::string_view rule, Report& report);

// No part of the path is "..".
bool check_no_backsteps(const Field& path, std::string_view rule, Report& report);
// Relative, and no part is "..".
bool check_relative_path(const Field& path, std::string_view rule, Report& report);
// Relative, without a part "..", and not beginning with two dots.
bool check_file_path(const Field& path, std::string_view rule, Report& report);

// An IPv4 or IPv6 address in an unambiguous spelling.
bool check_ip(const Field& field, std::string_view rule, Report& report);

}  // namespace trainjobc::k8s
