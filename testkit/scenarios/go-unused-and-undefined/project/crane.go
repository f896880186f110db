package main

type Crane struct {
	Tons int
}

func (c Crane) Lift(times int) int {
	return c.Tons * times
}
