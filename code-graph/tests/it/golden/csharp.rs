//! C#.

use super::{assert_calls, assert_hierarchy, assert_links};
use fourfold_code_graph::link::EdgeKind;

const STORE: (&str, &str) = (
    "Shop/Store.cs",
    r#"
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Shop.Util;
using static Shop.Util.Text;
using Money = Shop.Util.Amount;

namespace Shop;

public interface IStore { void Put(Item item); }

public record Item(string Name, Money Price)
{
    public Item Twice() => this;
}

public abstract class StoreBase : IStore
{
    protected StoreBase(int size) { Size = size; }
    public int Size { get; set; }
    public virtual void Put(Item item) { Check(item); }
    protected void Check(Item item) => item.Twice();
}

public partial class Store : StoreBase
{
    private readonly List<Item> items = new();
    private readonly Dictionary<string, Item> named = new Dictionary<string, Item>();
    public Item Best { get; private set; }
    public Item First => items[0];
    public event EventHandler Changed;

    public Store() : this(1) { }
    public Store(int size) : base(size) { Reset(); }

    public override void Put(Item item)
    {
        base.Put(item);
        items.Add(item);
        Best = Pick(item, First);
        Best.Twice();
        First.Twice();
        Changed?.Invoke(this, null);
    }

    public async Task<Item> LoadAsync(string name)
    {
        var item = await FetchAsync(name);
        item.Twice();
        item?.Twice().Twice();
        return item;
    }

    private Task<Item> FetchAsync(string name) => Task.FromResult(new Item(name, new Money(1)));

    public void Run()
    {
        foreach (var item in items) item.Twice();
        named["a"].Twice();
        items.ForEach(i => i.Twice());
        Shout("x");
        "x".Louder(2);
        Text.Shout("y");
        var store = new Store(2) { Best = null };
        store.Reset();
        Add(1); Add("x");
        Make<Item>().Twice();
        Store Local(int n) => new Store();
        Local(1).Run();
        object o = store;
        if (o is Item found) found.Twice();
        ((Item)o).Twice();
        (o as Item).Twice();
        Shop.Util.Text.Shout("z");
        Money.Zero.Plus(new Money(2));
        try { Missing(); } catch (Failure e) { e.Explain(); }
        Action later = Reset;
        later();
        Color.Blend();
    }

    private Color Color { get; set; }
    private void Add(int n) { }
    private void Add(string s) { }
    private T Make<T>() => default(T);
    private static Item Pick(Item a, Item b) => a ?? b;
}

public class Color { public void Blend() { } }

public class Failure : Exception { public string Explain() => Message.Trim(); }
"#,
);

const PART: (&str, &str) = (
    "Shop/Store.Reset.cs",
    r#"
namespace Shop
{
    public partial class Store
    {
        internal void Reset() { items.Clear(); Put(null); Count(); }
        private int Count() => items.Count;
    }
}
"#,
);

const UTIL: (&str, &str) = (
    "Util/Text.cs",
    r#"
namespace Shop.Util
{
    public static class Text
    {
        public static string Shout(string text) => text.ToUpper();
        public static string Louder(this string text, int times) => Shout(text);
    }

    public struct Amount
    {
        public static readonly Amount Zero = new Amount(0);
        private readonly int cents;
        public Amount(int cents) { this.cents = cents; }
        public Amount Plus(Amount other) => new Amount(cents + other.cents);
    }
}
"#,
);

#[test]
fn namespaces_partial_types_properties_extensions_and_overloads() {
    assert_calls(
        &[STORE, PART, UTIL],
        "
        Shop/Store.cs StoreBase.Put -> Shop/Store.cs StoreBase.Check [calls typed]
        Shop/Store.cs StoreBase.Check -> Shop/Store.cs Item.Twice [calls typed]
        Shop/Store.cs Store.items -> ! List [instantiates]
        Shop/Store.cs Store.named -> ! Dictionary [instantiates]
        Shop/Store.cs Store.Store -> Shop/Store.cs Store.Store [calls typed]
        Shop/Store.cs Store.Store -> Shop/Store.cs StoreBase.StoreBase [calls typed]
        Shop/Store.cs Store.Store -> Shop/Store.Reset.cs Store.Reset [calls typed]
        Shop/Store.cs Store.Put -> Shop/Store.cs StoreBase.Put [calls typed]
        Shop/Store.cs Store.Put -> ! List.Add [calls]
        Shop/Store.cs Store.Put -> Shop/Store.cs Store.Pick [calls typed]
        Shop/Store.cs Store.Put -> Shop/Store.cs Item.Twice [calls typed]
        Shop/Store.cs Store.Put -> ! EventHandler.Invoke [calls]
        Shop/Store.cs Store.LoadAsync -> Shop/Store.cs Store.FetchAsync [calls typed]
        Shop/Store.cs Store.LoadAsync -> Shop/Store.cs Item.Twice [calls inferred]
        Shop/Store.cs Store.FetchAsync -> ! Task.FromResult [calls]
        Shop/Store.cs Store.FetchAsync -> Shop/Store.cs Item [instantiates exact]
        Shop/Store.cs Store.FetchAsync -> Util/Text.cs Amount [instantiates exact]
        Shop/Store.cs Store.FetchAsync -> Util/Text.cs Amount.Amount [calls exact]
        Shop/Store.cs Store.Run -> Shop/Store.cs Item.Twice [calls inferred]
        Shop/Store.cs Store.Run -> ! List.ForEach [calls]
        Shop/Store.cs Store.Run -> Util/Text.cs Text.Shout [calls exact]
        Shop/Store.cs Store.Run -> Util/Text.cs Text.Louder [calls typed]
        Shop/Store.cs Store.Run -> Shop/Store.cs Store [instantiates exact]
        Shop/Store.cs Store.Run -> Shop/Store.cs Store.Store [calls exact]
        Shop/Store.cs Store.Run -> Shop/Store.Reset.cs Store.Reset [calls typed]
        Shop/Store.cs Store.Run -> Shop/Store.cs Store.Add [calls typed]
        Shop/Store.cs Store.Run -> Shop/Store.cs Store.Make [calls typed]
        Shop/Store.cs Store.Run.Local -> Shop/Store.cs Store [instantiates exact]
        Shop/Store.cs Store.Run.Local -> Shop/Store.cs Store.Store [calls exact]
        Shop/Store.cs Store.Run -> Shop/Store.cs Store.Run.Local [calls exact]
        Shop/Store.cs Store.Run -> Shop/Store.cs Store.Run [calls inferred]
        Shop/Store.cs Store.Run -> Shop/Store.cs Item.Twice [calls typed]
        Shop/Store.cs Store.Run -> Util/Text.cs Amount.Plus [calls typed]
        Shop/Store.cs Store.Run -> Util/Text.cs Amount [instantiates exact]
        Shop/Store.cs Store.Run -> Util/Text.cs Amount.Amount [calls exact]
        Shop/Store.cs Store.Run -> ! Missing [calls]
        Shop/Store.cs Store.Run -> Shop/Store.cs Failure.Explain [calls typed]
        Shop/Store.cs Store.Run -> ! Action [calls]
        Shop/Store.cs Store.Run -> Shop/Store.cs Color.Blend [calls typed]
        Shop/Store.cs Failure.Explain -> ! Exception.Message.Trim [calls]
        Shop/Store.Reset.cs Store.Reset -> ! List.Clear [calls]
        Shop/Store.Reset.cs Store.Reset -> Shop/Store.cs Store.Put [calls typed]
        Shop/Store.Reset.cs Store.Reset -> Shop/Store.Reset.cs Store.Count [calls typed]
        Util/Text.cs Text.Shout -> ! string.ToUpper [calls]
        Util/Text.cs Text.Louder -> Util/Text.cs Text.Shout [calls typed]
        Util/Text.cs Amount.Zero -> Util/Text.cs Amount [instantiates exact]
        Util/Text.cs Amount.Zero -> Util/Text.cs Amount.Amount [calls exact]
        Util/Text.cs Amount.Plus -> Util/Text.cs Amount [instantiates exact]
        Util/Text.cs Amount.Plus -> Util/Text.cs Amount.Amount [calls exact]
        ",
    );
}

#[test]
fn what_is_inherited_and_replaced() {
    assert_hierarchy(
        &[STORE, PART, UTIL],
        "
        Shop/Store.cs StoreBase -> Shop/Store.cs IStore [implements exact]
        Shop/Store.cs StoreBase.Put -> Shop/Store.cs IStore.Put [overrides typed]
        Shop/Store.cs Store -> Shop/Store.cs StoreBase [extends exact]
        Shop/Store.cs Store.Put -> Shop/Store.cs StoreBase.Put [overrides typed]
        Shop/Store.cs Failure -> ! Exception [extends]
        ",
    );
}

#[test]
fn attributes_and_writes() {
    assert_links(
        &[(
            "A.cs",
            r#"
using System;

namespace A
{
    public class MarkAttribute : Attribute { }

    [Mark]
    public class B
    {
        public int N { get; set; }
        [Obsolete] public void M() { N = 1; var b = new B { N = 2 }; }
    }
}
"#,
        )],
        &[EdgeKind::Decorates, EdgeKind::Writes],
        "
        A.cs B -> A.cs MarkAttribute [decorates exact]
        A.cs B.M -> ! ObsoleteAttribute [decorates]
        A.cs B.M -> A.cs B.N [writes exact]
        A.cs B.M -> A.cs B.N [writes typed]
        ",
    );
}
