package shop.orders;

import static java.util.stream.Collectors.groupingBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;

public sealed interface Payment permits Card, Cash {}

record Card(String number, int month) implements Payment {
    Card {
        if (month < 1 || month > 12) throw new IllegalArgumentException("month: " + month);
    }
}

record Cash(double amount) implements Payment {}

@FunctionalInterface
interface Visitor<R extends Comparable<? super R>> {
    R visit(Payment payment) throws Exception;
}

class Orders {
    private static final int LIMIT = 0x7f;
    protected final List<Payment> payments;

    Orders(List<Payment> payments) { this.payments = List.copyOf(payments); }

    String describe(Payment payment) {
        return switch (payment) {
            case Card c when c.month() == 12 -> "december";
            case Card(String number, int month) -> number;
            case Cash cash -> String.valueOf(cash.amount());
        };
    }

    Map<String, List<Payment>> grouped() {
        var text = """
            grouped:
              by description""";
        try (var scope = open()) {
            return payments.stream().limit(LIMIT).collect(groupingBy(this::describe));
        } catch (RuntimeException | Error failure) {
            return Optional.of(text).map(t -> Map.<String, List<Payment>>of()).get();
        }
    }
}
