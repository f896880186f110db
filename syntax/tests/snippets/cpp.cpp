#include <algorithm>
#include <concepts>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

namespace shop::stock {

template <typename T>
concept Priced = requires(const T& item) {
    { item.price() } -> std::convertible_to<double>;
};

class Item final {
public:
    explicit Item(std::string name, double price) noexcept
        : name_{std::move(name)}, price_(price) {}
    virtual ~Item() = default;
    Item(const Item&) = delete;
    [[nodiscard]] auto price() const -> double { return price_; }
    auto operator<=>(const Item&) const = default;

private:
    std::string name_;
    double price_ = 0.0;
};

template <Priced T, typename... Rest>
constexpr double total(const T& first, const Rest&... rest) {
    if constexpr (sizeof...(rest) == 0) {
        return first.price();
    } else {
        return first.price() + total(rest...);
    }
}

auto cheap(const std::vector<std::unique_ptr<Item>>& items, double limit) {
    std::vector<const Item*> found;
    for (const auto& item : items) {
        if (auto price = item->price(); price < limit) found.push_back(item.get());
    }
    std::ranges::sort(found, [](auto* a, auto* b) { return a->price() < b->price(); });
    return found;
}

}  // namespace shop::stock
