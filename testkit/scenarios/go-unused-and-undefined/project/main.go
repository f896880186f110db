package main

import "fmt"

func main() {
	crane := Crane{Tons: 40}
	fmt.Println(crane.Lift(3))
}
