using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Shop.Orders;

public record Line(string Sku, int Count, decimal Price)
{
    public decimal Total => Count * Price;
}

[Serializable]
public sealed class OrderBook<TKey> : IOrderBook where TKey : notnull
{
    private readonly Dictionary<TKey, List<Line>> _lines = new();

    public required string Owner { get; init; }

    public event EventHandler<Line>? Added;

    public async Task<decimal> SumAsync(TKey key, CancellationToken stop = default)
    {
        if (!_lines.TryGetValue(key, out var lines) || lines is not { Count: > 0 })
            return 0m;

        await Task.Delay(1, stop).ConfigureAwait(false);
        var query = from line in lines
                    where line.Count > 1
                    orderby line.Sku descending
                    select line.Total;
        return query.Sum();
    }

    public string Describe(object thing) => thing switch
    {
        Line { Count: 1 } one => $"one {one.Sku}",
        Line(var sku, > 10, _) => $"many of {sku}",
        null => throw new ArgumentNullException(nameof(thing)),
        _ => "something",
    };
}
