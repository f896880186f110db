//! Kotlin.

use super::{assert_calls, assert_hierarchy};

const SHOP: (&str, &str) = (
    "src/Shop.kt",
    r#"
package shop

import shop.util.Money
import shop.util.euros
import shop.util.shout as loud
import shop.util.Limits
import other.lib.Client

interface Priced {
    val price: Money
    fun describe(): String = price.show()
}

abstract class Base(protected val client: Client) : Priced {
    open fun send(item: Item) { client.post(item) }
    protected fun check(n: Int) {}
}

class Item(val name: String, override val price: Money, count: Int = 1) : Priced {
    val size = size()
    val cheap: Boolean get() = price.isSmall()
    var next: Item? = null
    private val lazyMoney by lazy { Money.of(3) }

    constructor(name: String) : this(name, Money(1))

    init { register(this) }

    fun size(): Int = count()
    private fun count() = 1
    fun twice(): Item = copyOf(this)
    fun money() = lazyMoney.plus(price)

    companion object {
        const val MAX = 3
        fun free(): Item = Item("free")
    }
}

class Store(client: Client) : Base(client), Priced by client.priced {
    private val items = mutableListOf<Item>()
    private val named: Map<String, Item> = mapOf()

    override fun send(item: Item) {
        super.send(item)
        check(1)
        items.add(item)
    }

    fun run(handler: (Item) -> Item) {
        val item = Item("a", 2.euros())
        item.twice().next?.twice()
        item.next!!.describe()
        Item.free().twice()
        for (each in items) {
            each.twice()
        }
        named["x"]?.twice()
        named.values.forEach { it.twice() }
        items.map { it.next }.filter { other -> other != null }
        item.let { it.twice() }
        item.also { same -> same.describe() }.twice()
        item.apply { println("x") }.describe()
        handler(item).twice()
        loud("x")
        "y".loud2()
        val (name, price) = item.pair()
        price.show()
        when (item.next) {
            is Item -> item.describe()
            else -> send(item)
        }
        val other: Any = item
        if (other is Item) {
            other.twice()
        }
        (other as Item).twice()
        fun local(n: Int): Item = Item.free()
        local(1).describe()
        Registry.put(item)
        val listener = object : Listener {
            override fun on(item: Item) { send(item) }
        }
        listener.on(item)
        listOf(item).first()
        later(::register)
        items.forEach(this::send)
        unknown.twice()
        Limits.check()
        try {
            fail()
        } catch (e: Problem) {
            e.explain()
        }
    }
}

interface Listener {
    fun on(item: Item)
}

object Registry {
    fun put(item: Item) = register(item)
}

class Problem : Exception() {
    fun explain() = describe(this)
}

fun register(item: Item) {}

fun describe(problem: Problem) {}

fun Item.pair(): Pair<String, Money> = Pair(name, price)

fun String.loud2() = loud(this)
"#,
);

const UTIL: (&str, &str) = (
    "src/util/Money.kt",
    r#"
package shop.util

data class Money(val cents: Int) {
    fun show(): String = cents.toString()
    fun isSmall() = cents < 10
    operator fun plus(other: Money): Money = Money(cents + other.cents)

    companion object {
        @JvmStatic
        fun of(n: Int): Money = Money(n)
    }
}

fun Int.euros(): Money = Money(this * 100)

fun shout(text: String): String = text.uppercase()

enum class Limits(val n: Int) {
    LOW(1),
    HIGH(2);

    fun ok() = n > 0

    companion object {
        fun check() { LOW.ok() }
    }
}
"#,
);

#[test]
fn companions_extensions_lambdas_and_casts() {
    assert_calls(
        &[SHOP, UTIL],
        "
        src/Shop.kt Priced.describe -> src/util/Money.kt Money.show [calls typed]
        src/Shop.kt Base.send -> ! other.lib.Client.post [calls]
        src/Shop.kt Item.size -> src/Shop.kt Item.size [calls exact]
        src/Shop.kt Item.cheap -> src/util/Money.kt Money.isSmall [calls typed]
        src/Shop.kt Item.lazyMoney -> ! lazy [calls]
        src/Shop.kt Item.lazyMoney -> src/util/Money.kt Money.Companion.of [calls exact]
        src/Shop.kt Item.Item -> src/Shop.kt Item.Item [calls typed]
        src/Shop.kt Item.Item -> src/util/Money.kt Money [instantiates exact]
        src/Shop.kt Item.Item -> src/util/Money.kt Money.Money [calls exact]
        src/Shop.kt Item -> src/Shop.kt register [calls exact]
        src/Shop.kt Item.size -> src/Shop.kt Item.count [calls typed]
        src/Shop.kt Item.twice -> ? copyOf [calls]
        src/Shop.kt Item.money -> src/util/Money.kt Money.plus [calls inferred]
        src/Shop.kt Item.Companion.free -> src/Shop.kt Item [instantiates exact]
        src/Shop.kt Item.Companion.free -> src/Shop.kt Item.Item [calls exact]
        src/Shop.kt Store -> src/Shop.kt Base.Base [calls typed]
        src/Shop.kt Store.items -> ! mutableListOf [calls]
        src/Shop.kt Store.named -> ! mapOf [calls]
        src/Shop.kt Store.send -> src/Shop.kt Base.send [calls typed]
        src/Shop.kt Store.send -> src/Shop.kt Base.check [calls typed]
        src/Shop.kt Store.send -> ! List.add [calls]
        src/Shop.kt Store.run -> src/Shop.kt Item [instantiates exact]
        src/Shop.kt Store.run -> src/Shop.kt Item.Item [calls exact]
        src/Shop.kt Store.run -> src/util/Money.kt euros [calls typed]
        src/Shop.kt Store.run -> src/Shop.kt Item.twice [calls typed]
        src/Shop.kt Store.run -> src/Shop.kt Item.twice [calls inferred]
        src/Shop.kt Store.run -> src/Shop.kt Priced.describe [calls typed]
        src/Shop.kt Store.run -> src/Shop.kt Priced.describe [calls inferred]
        src/Shop.kt Store.run -> src/Shop.kt Item.Companion.free [calls exact]
        src/Shop.kt Store.run -> ! Map.values.forEach [calls]
        src/Shop.kt Store.run -> src/util/Money.kt shout [calls exact]
        src/Shop.kt Store.run -> src/Shop.kt loud2 [calls typed]
        src/Shop.kt Store.run -> src/Shop.kt pair [calls typed]
        src/Shop.kt Store.run -> src/util/Money.kt Money.show [calls inferred]
        src/Shop.kt Store.run -> src/Shop.kt Store.send [calls typed]
        src/Shop.kt Store.run.local -> src/Shop.kt Item.Companion.free [calls exact]
        src/Shop.kt Store.run -> src/Shop.kt Store.run.local [calls exact]
        src/Shop.kt Store.run -> src/Shop.kt Registry.put [calls exact]
        src/Shop.kt Store.run.new Listener.on -> src/Shop.kt Store.send [calls typed]
        src/Shop.kt Store.run -> src/Shop.kt Listener.on [calls typed]
        src/Shop.kt Store.run -> ! listOf [calls]
        src/Shop.kt Store.run -> ! List.first [calls]
        src/Shop.kt Store.run -> ! println [calls]
        src/Shop.kt Store.run -> ? fail [calls]
        src/Shop.kt Store.run -> ? later [calls]
        src/Shop.kt Store.run -> ! Any.let [calls]
        src/Shop.kt Store.run -> ! Any.also [calls]
        src/Shop.kt Store.run -> ! Any.apply [calls]
        src/Shop.kt Store.run -> ! List.map [calls]
        src/Shop.kt Store.run -> ! List.forEach [calls]
        src/Shop.kt Store.run -> ! Stream.filter [calls]
        src/Shop.kt Store.run -> ? twice [calls]
        src/Shop.kt Store.run -> src/util/Money.kt Limits.Companion.check [calls exact]
        src/Shop.kt Store.run -> src/Shop.kt Problem.explain [calls typed]
        src/Shop.kt Registry.put -> src/Shop.kt register [calls exact]
        src/Shop.kt Problem -> ! Exception [calls]
        src/Shop.kt Problem.explain -> src/Shop.kt describe [calls exact]
        src/Shop.kt pair -> ! Pair [calls]
        src/Shop.kt loud2 -> src/util/Money.kt shout [calls exact]
        src/util/Money.kt Money.show -> ! Int.toString [calls]
        src/util/Money.kt Money.plus -> src/util/Money.kt Money [instantiates exact]
        src/util/Money.kt Money.plus -> src/util/Money.kt Money.Money [calls exact]
        src/util/Money.kt Money.Companion.of -> src/util/Money.kt Money [instantiates exact]
        src/util/Money.kt Money.Companion.of -> src/util/Money.kt Money.Money [calls exact]
        src/util/Money.kt euros -> src/util/Money.kt Money [instantiates exact]
        src/util/Money.kt euros -> src/util/Money.kt Money.Money [calls exact]
        src/util/Money.kt shout -> ! String.uppercase [calls]
        src/util/Money.kt Limits.LOW -> src/util/Money.kt Limits [instantiates exact]
        src/util/Money.kt Limits.LOW -> src/util/Money.kt Limits.Limits [calls exact]
        src/util/Money.kt Limits.HIGH -> src/util/Money.kt Limits [instantiates exact]
        src/util/Money.kt Limits.HIGH -> src/util/Money.kt Limits.Limits [calls exact]
        src/util/Money.kt Limits.Companion.check -> src/util/Money.kt Limits.ok [calls typed]
        ",
    );
}

#[test]
fn what_is_inherited_and_replaced() {
    assert_hierarchy(
        &[SHOP, UTIL],
        "
        src/Shop.kt Base -> src/Shop.kt Priced [implements exact]
        src/Shop.kt Item -> src/Shop.kt Priced [implements exact]
        src/Shop.kt Store -> src/Shop.kt Base [extends exact]
        src/Shop.kt Store -> src/Shop.kt Priced [implements exact]
        src/Shop.kt Store.send -> src/Shop.kt Base.send [overrides typed]
        src/Shop.kt Store.run.new Listener -> src/Shop.kt Listener [implements exact]
        src/Shop.kt Store.run.new Listener.on -> src/Shop.kt Listener.on [overrides typed]
        src/Shop.kt Problem -> ! Exception [extends]
        ",
    );
}
