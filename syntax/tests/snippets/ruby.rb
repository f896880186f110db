# frozen_string_literal: true

require "json"

module Shop
  Line = Struct.new(:sku, :count, keyword_init: true)

  class Cart
    include Enumerable
    attr_reader :lines, :owner

    LIMIT = 1_000

    def initialize(*lines, owner: nil, **rest, &block)
      @lines = lines
      @owner = owner || rest.fetch(:user) { "nobody" }
      instance_eval(&block) if block
    end

    def each(&) = lines.each(&)

    def total
      lines.sum { |line| line.count * price_of(line.sku) }.clamp(0, LIMIT)
    rescue KeyError, TypeError => e
      warn "no price: #{e.message}"
      0
    ensure
      @seen = true
    end

    def describe(thing)
      case thing
      in { sku: String => sku, count: 1.. }
        "#{sku} again"
      in [first, *rest] unless rest.empty?
        first
      else
        <<~TEXT
          nothing #{thing.inspect}
        TEXT
      end
    end

    private

    def price_of(sku) = { pen: 1, "desk": 120 }[sku.to_sym] or raise KeyError
  end
end

cart = Shop::Cart.new(Shop::Line.new(sku: "pen", count: 2), owner: :me)
puts cart.map(&:sku).grep(/\Ap/i).join(", ") unless cart.lines&.empty?
puts %w[a b].each_with_index.map { _1 + _2.to_s }
