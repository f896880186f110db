defmodule Shop.Cart do
  @moduledoc """
  A cart that is a process.
  """
  use GenServer
  alias Shop.{Item, Money}

  @type t :: %__MODULE__{items: [Item.t()], owner: String.t() | nil}
  defstruct items: [], owner: nil

  def start_link(opts \\ []), do: GenServer.start_link(__MODULE__, opts, name: __MODULE__)

  @impl true
  def init(opts), do: {:ok, %__MODULE__{owner: opts[:owner]}}

  @impl true
  def handle_call({:add, %Item{price: price} = item}, _from, state) when price > 0 do
    state = update_in(state.items, &[item | &1])
    {:reply, {:ok, length(state.items)}, state}
  end

  def total(%__MODULE__{items: items}) do
    items
    |> Enum.filter(fn %{count: count} -> count > 0 end)
    |> Enum.map(& &1.price)
    |> Enum.reduce(Money.zero(), &Money.add/2)
  end

  def label(items) do
    with {:ok, first} <- Enum.fetch(items, 0),
         name when is_binary(name) <- first.name do
      "#{name} and #{length(items) - 1} more"
    else
      :error -> "empty"
      _other -> ~s(unnamed)
    end
  end
end
