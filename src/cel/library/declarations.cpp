// SPDX-License-Identifier: Apache-2.0

// What the functions are called, and which arguments they take. In a signature, what stands before ".(" is
// the type of the value before the dot of a call. A, B and C are any types, a|b is either type, % each type
// that has an order and + each that has a sum; the last argument may be left out if it ends in a "?". Without
// a function, it is an operator, or something that only a cluster knows.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

struct Declaration {
  std::string_view names;
  std::string_view signatures;  // between semicolons
  Function run = nullptr;
};

constexpr std::string_view kOrdered = "int|uint|double|bool|duration|timestamp|string|bytes";
constexpr std::string_view kSummable = "int|uint|double|duration";

constexpr std::array kDeclarations = std::to_array<Declaration>({
    {"_==_ _!=_", "(A A) bool"},
    {"!_", "(bool) bool"},
    {"_?_:_", "(bool A A) A"},
    {"-_", "(double) double;(int) int"},
    {"_+_",
     "(bytes bytes) bytes;(double double) double;(duration duration) duration;(duration timestamp) timestamp;"
     "(timestamp duration) timestamp;(int int) int;(list<A> list<A>) list<A>;(string string) string;(uint "
     "uint) "
     "uint"},
    {"_-_",
     "(double double) double;(duration duration) duration;(int int) int;(timestamp duration) timestamp;"
     "(timestamp timestamp) duration;(uint uint) uint"},
    {"_*_ _/_", "(double double) double;(int int) int;(uint uint) uint"},
    {"_%_", "(int int) int;(uint uint) uint"},
    {"_<_ _<=_ _>_ _>=_",
     "(bool bool) bool;(% %) bool;(int uint|double) bool;(uint int|double) bool;(double int|uint) bool"},
    {"_[_]",
     "(list<A> int) A;(map<A,B> A) B;(optional_type<list<A>> int) optional_type<A>;"
     "(optional_type<map<A,B>> A) optional_type<B>"},
    {"_[?_]",
     "(list<A>|optional_type<list<A>> int) optional_type<A>;(map<A,B>|optional_type<map<A,B>> A) "
     "optional_type<B>"},
    {"@in", "(A list<A>) bool;(A map<A,B>) bool"},

    {"size", "(bytes|list<A>|map<A,B>|string) int;bytes|list<A>|map<A,B>|string.() int", size},
    {"type", "(A) type<A>", type},
    {"dyn", "(A) dyn", same},
    {"bool", "(bool|string) bool", to_bool},
    {"bytes", "(bytes|string) bytes", to_bytes},
    {"double", "(double|int|string|uint) double", to_double},
    {"int", "(int|double|duration|string|timestamp|uint) int", to_int},
    {"uint", "(uint|double|int|string) uint", to_uint},
    {"string", "(string|bool|bytes|double|duration|int|timestamp|uint) string", to_string},
    {"string", "(net.IP|net.CIDR) string", address_to_string},
    {"duration", "(duration|int|string) duration", to_duration},
    {"timestamp", "(timestamp|int|string) timestamp", to_timestamp},
    {"getFullYear getMonth getDayOfYear getDayOfMonth getDate getDayOfWeek getHours getMinutes getSeconds "
     "getMilliseconds",
     "timestamp.(string?) int", timestamp_part},
    {"getHours getMinutes getSeconds getMilliseconds", "duration.() int", duration_part},

    {"contains", "string.(string) bool", contains},
    {"startsWith", "string.(string) bool", starts_with},
    {"endsWith", "string.(string) bool", ends_with},
    {"matches", "(string string) bool;string.(string) bool", matches},
    {"find", "string.(string) string", find},
    {"findAll", "string.(string int?) list<string>", find_all},
    {"charAt", "string.(int) string", char_at},
    {"indexOf", "string.(string int?) int", text_index},
    {"lastIndexOf", "string.(string int?) int", text_last_index},
    {"lowerAscii", "string.() string", lower_ascii},
    {"upperAscii", "string.() string", upper_ascii},
    {"replace", "string.(string string int?) string", replace},
    {"split", "string.(string int?) list<string>", split},
    {"substring", "string.(int int?) string", substring},
    {"trim", "string.() string", trim},
    {"join", "list<string>.(string?) string", join},
    {"strings.quote", "(string) string", quote},
    {"format", "string.(list<dyn>) string", format},

    {"indexOf", "list<A>.(A) int", list_index},
    {"lastIndexOf", "list<A>.(A) int", list_last_index},
    {"isSorted", "list<%>.() bool", is_sorted},
    {"sum", "list<+>.() +", sum},
    {"max", "list<%>.() %", greatest},
    {"min", "list<%>.() %", least},
    {"slice", "list<A>.(int int) list<A>", slice},
    {"flatten", "list<list<A>>.() list<A>;list<dyn>.(int) list<dyn>", flatten},
    {"sort", "list<%>.() list<%>", sort},
    {"@sortByAssociatedKeys", "list<A>.(list<%>) list<A>", sort},
    {"lists.range", "(int) list<int>", range},
    {"reverse", "list<A>.() list<A>", reverse},
    {"distinct", "list<A>.() list<A>", distinct},
    {"first", "list<A>.() optional_type<A>", first},
    {"last", "list<A>.() optional_type<A>", last},
    {"sets.contains", "(list<A> list<A>) bool", set_contains},
    {"sets.equivalent", "(list<A> list<A>) bool", set_equivalent},
    {"sets.intersects", "(list<A> list<A>) bool", set_intersects},
    {"optional.of", "(A) optional_type<A>", optional_of},
    {"optional.ofNonZeroValue", "(A) optional_type<A>", optional_of_non_zero},
    {"optional.none", "() optional_type<A>", optional_none},
    {"optional.unwrap", "(list<optional_type<A>>) list<A>", optional_unwrap},
    {"unwrapOpt", "list<optional_type<A>>.() list<A>", optional_unwrap},
    {"value", "optional_type<A>.() A", optional_value},
    {"hasValue", "optional_type<A>.() bool", optional_has_value},
    {"or", "optional_type<A>.(optional_type<A>) optional_type<A>"},
    {"orValue", "optional_type<A>.(A) A"},

    {"quantity", "(string) kubernetes.Quantity", to_quantity},
    {"isQuantity", "(string) bool", is_quantity},
    {"sign", "(kubernetes.Quantity) int", quantity_sign},
    {"asApproximateFloat", "kubernetes.Quantity.() double", quantity_float},
    {"asInteger", "kubernetes.Quantity.() int", quantity_integer},
    {"isInteger", "kubernetes.Quantity.() bool", quantity_is_integer},
    {"add", "kubernetes.Quantity.(kubernetes.Quantity|int) kubernetes.Quantity", quantity_add},
    {"sub", "kubernetes.Quantity.(kubernetes.Quantity|int) kubernetes.Quantity", quantity_subtract},
    {"isGreaterThan",
     "kubernetes.Quantity.(kubernetes.Quantity) bool;kubernetes.Semver.(kubernetes.Semver) bool", is_greater},
    {"isLessThan",
     "kubernetes.Quantity.(kubernetes.Quantity) bool;kubernetes.Semver.(kubernetes.Semver) bool", is_less},
    {"compareTo", "kubernetes.Quantity.(kubernetes.Quantity) int;kubernetes.Semver.(kubernetes.Semver) int",
     compare_to},
    {"semver", "(string bool?) kubernetes.Semver", to_semver},
    {"isSemver", "(string bool?) bool", is_semver},
    {"major minor patch", "kubernetes.Semver.() int", semver_part},

    {"url", "(string) kubernetes.URL", to_url},
    {"isURL", "(string) bool", is_url},
    {"getScheme getHost getHostname getPort getEscapedPath", "kubernetes.URL.() string", url_part},
    {"getQuery", "kubernetes.URL.() map<string,list<string>>", url_query},

    {"ip", "(string) net.IP", to_ip},
    {"ip", "net.CIDR.() net.IP", cidr_ip},
    {"isIP", "(string) bool", is_ip},
    {"ip.isCanonical", "(string) bool", is_canonical_ip},
    {"family", "net.IP.() int", ip_family},
    {"isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast", "net.IP.() bool",
     ip_property},
    {"cidr", "(string) net.CIDR", to_cidr},
    {"isCIDR", "(string) bool", is_cidr},
    {"containsIP", "net.CIDR.(string|net.IP) bool", cidr_contains_ip},
    {"containsCIDR", "net.CIDR.(string|net.CIDR) bool", cidr_contains_cidr},
    {"prefixLength", "net.CIDR.() int", cidr_length},
    {"masked", "net.CIDR.() net.CIDR", cidr_masked},

    {"format.named", "(string) optional_type<kubernetes.NamedFormat>", named_format},
    {"format.dns1123Label format.dns1123Subdomain format.dns1035Label format.qualifiedName "
     "format.dns1123LabelPrefix format.dns1123SubdomainPrefix format.dns1035LabelPrefix format.labelValue "
     "format.uri format.uuid format.byte format.date format.datetime",
     "() kubernetes.NamedFormat", constant_format},
    {"validate", "kubernetes.NamedFormat.(string) optional_type<list<string>>", validate_format},

    {"path", "kubernetes.authorization.Authorizer.(string) kubernetes.authorization.PathCheck"},
    {"group", "kubernetes.authorization.Authorizer.(string) kubernetes.authorization.GroupCheck"},
    {"serviceAccount",
     "kubernetes.authorization.Authorizer.(string string) kubernetes.authorization.Authorizer"},
    {"resource", "kubernetes.authorization.GroupCheck.(string) kubernetes.authorization.ResourceCheck"},
    {"subresource namespace name fieldSelector labelSelector",
     "kubernetes.authorization.ResourceCheck.(string) kubernetes.authorization.ResourceCheck"},
    {"check",
     "kubernetes.authorization.PathCheck|kubernetes.authorization.ResourceCheck.(string) "
     "kubernetes.authorization.Decision"},
    {"allowed errored", "kubernetes.authorization.Decision.() bool"},
    {"reason error", "kubernetes.authorization.Decision.() string"},
});

class Table {
 public:
  Table() {
    for (const Declaration& declaration : kDeclarations) {
      for (const std::string_view signature : base::split(declaration.signatures, ";")) {
        const size_t mark = signature.find_first_of("%+");
        const std::string_view types = mark == signature.npos   ? "-"
                                       : signature[mark] == '%' ? kOrdered
                                                                : kSummable;
        for (const std::string_view each : base::split(types, "|"))
          declare(declaration, with_type(signature, each));
      }
    }
  }

  std::span<const Overload> find(std::string_view name) const {
    const auto found = functions_.find(name);
    return found != functions_.end() ? found->second : std::span<const Overload>();
  }

 private:
  // The signature with a type in the place of % and +.
  std::string_view with_type(std::string_view signature, std::string_view type) {
    std::string out;
    for (const char c : signature) c == '%' || c == '+' ? out.append(type) : out.append(1, c);
    return arena_.copy(std::string_view(out));
  }

  void declare(const Declaration& declaration, std::string_view signature) {
    const size_t open = signature.find('(');
    const size_t close = signature.find(')');
    std::vector<std::vector<const Type*>> lists{{}};
    if (open > 0) add_argument(lists, signature.substr(0, open - 1));
    const auto args = base::non_empty_parts(signature.substr(open + 1, close - open - 1), " ");
    for (std::string_view arg : args) {
      const auto shorter = lists;
      const bool is_optional = arg.ends_with('?');
      if (is_optional) arg.remove_suffix(1);
      add_argument(lists, arg);
      if (is_optional) lists.insert(lists.begin(), shorter.begin(), shorter.end());
    }
    const Type* type = types_.parse(signature.substr(close + 2));
    for (const std::string_view name : base::split(declaration.names, " ")) {
      for (const auto& list : lists)
        functions_[name].push_back({name, open > 0, arena_.copy(list), type, declaration.run});
    }
  }

  // Continues each list with each of the types.
  void add_argument(std::vector<std::vector<const Type*>>& lists, std::string_view types) {
    std::vector<std::vector<const Type*>> longer;
    for (const std::string_view type : base::split(types, "|")) {
      for (auto list : lists) {
        list.push_back(types_.parse(type));
        longer.push_back(std::move(list));
      }
    }
    lists = std::move(longer);
  }

  base::Arena arena_;
  Types types_{arena_};
  std::map<std::string_view, std::vector<Overload>, std::less<>> functions_;
};

}  // namespace

std::span<const Overload> find_overloads(std::string_view name) {
  static const Table table;
  return table.find(name);
}

}  // namespace trainjobc::cel
