package shop.orders

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow as build

sealed interface Payment {
    data class Card(val number: String, val month: Int) : Payment
    data object Cash : Payment
}

@JvmInline
value class Cents(val amount: Long)

abstract class Base<in T : Any>(protected open val name: String = "base") {
    abstract fun handle(item: T): Result<Unit>
}

class Orders(private val payments: List<Payment>) : Base<Payment>("orders") {
    companion object {
        const val LIMIT = 100
    }

    val count: Int
        get() = payments.size

    private val cache by lazy { mutableMapOf<String, Payment?>() }

    override fun handle(item: Payment): Result<Unit> = runCatching {
        when (item) {
            is Payment.Card -> cache[item.number] = item
            Payment.Cash -> println("cash: ${item.hashCode()}")
        }
    }

    suspend fun <T> each(block: suspend (Payment) -> T): Flow<T> = build {
        for ((index, payment) in payments.withIndex()) {
            if (index in 0..<LIMIT) emit(block(payment)) else break
        }
    }
}

fun String?.orNone(): String = this?.takeIf { it.isNotBlank() } ?: "none"
