package shop

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrEmpty says that nothing was ordered.
var ErrEmpty = errors.New("empty order")

type Number interface {
	~int | ~int64 | ~float64
}

type Order[T Number] struct {
	mu    sync.Mutex
	Lines map[string][]T `json:"lines"`
}

func Sum[T Number](values ...T) (total T) {
	for _, value := range values {
		total += value
	}
	return
}

func (o *Order[T]) Total(ctx context.Context) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	results := make(chan T, len(o.Lines))
	for name := range o.Lines {
		go func(name string) { results <- Sum(o.Lines[name]...) }(name)
	}
	var total T
	for i := 0; i < len(o.Lines); i++ {
		select {
		case part, ok := <-results:
			if !ok {
				return total, fmt.Errorf("order %v: %w", o, ErrEmpty)
			}
			total += part
		case <-ctx.Done():
			return total, ctx.Err()
		}
	}
	return total, nil
}
