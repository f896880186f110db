import Foundation

protocol Priced: Sendable {
    associatedtype Unit
    var price: Unit { get }
}

enum Payment: Equatable {
    case card(number: String, month: Int)
    case cash
}

struct Item: Priced, Codable {
    let name: String
    private(set) var price: Double = 0.0

    init?(name: String?, price: Double) {
        guard let name, !name.isEmpty else { return nil }
        self.name = name
        self.price = price
    }
}

@MainActor
final class Cart<T: Priced>: ObservableObject where T.Unit == Double {
    @Published var items: [T] = []
    weak var owner: AnyObject?

    var total: Double {
        items.lazy.map(\.price).filter { $0 > 0 }.reduce(0, +)
    }

    func pay(with payment: Payment) async throws -> String {
        switch payment {
        case .card(let number, month: 1...12) where number.count == 16:
            return "card \(number.suffix(4))"
        case .cash:
            return """
            cash: \(total)
            """
        default:
            throw URLError(.badURL)
        }
    }

    func load(from url: URL) async {
        do {
            let (data, _) = try await URLSession.shared.data(from: url)
            let found = try? JSONDecoder().decode([String: Int].self, from: data)
            print(found?["a"] ?? 0)
        } catch let error as URLError {
            print(error)
        } catch {
            defer { items.removeAll() }
            if #available(macOS 13, *) { print("late") }
        }
    }
}

extension Array where Element == Item {
    subscript(named name: String) -> Item? { first { $0.name == name } }
}
