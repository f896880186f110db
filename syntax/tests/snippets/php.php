<?php

declare(strict_types=1);

namespace Shop\Orders;

use InvalidArgumentException;
use Shop\{Item, Money as Cash};

enum Status: string
{
    case Open = 'open';
    case Paid = 'paid';

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

#[Entity(table: 'orders')]
final class Order implements \Countable
{
    use Timestamps;

    private const LIMIT = 10;

    public function __construct(
        public readonly int $id,
        private array $items = [],
        protected ?Status $status = Status::Open,
    ) {
    }

    public function count(): int
    {
        return count($this->items);
    }

    public function total(callable|\Closure $round): int|float
    {
        $prices = array_map(fn (Item $item): float => $item->price, $this->items);
        foreach ($prices as $key => &$price) {
            $price ??= 0;
        }
        return match (true) {
            $prices === [] => 0,
            array_sum($prices) > self::LIMIT => $round(array_sum($prices)),
            default => throw new InvalidArgumentException("order {$this->id} is odd"),
        };
    }
}

$order = new Order(id: 1, items: [new Item('pen')]);
echo $order?->count(), PHP_EOL;
?>
<p><?= htmlspecialchars($order->id) ?></p>
