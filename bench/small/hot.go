// A small server on Go's net/http, with a function that is planted: bench/because looks whether it is found.
//
//	go build -o hot hot.go && ./hot PORT ROUNDS
package main

import (
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
)

// What a request's work came to: written, so that no compiler leaves the work out.
var worked atomic.Uint64

// The planted function: so many rounds of a shift register. Not inlined: profiles name the functions that the program has.
//
//go:noinline
func hot(rounds int) uint64 {
	register := uint64(0x9e3779b97f4a7c15)
	for range rounds {
		register ^= register << 13
		register ^= register >> 7
		register ^= register << 17
	}
	return register
}

func main() {
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, _ *http.Request) {
		worked.Store(hot(rounds))
		response.Header().Set("Content-Length", "13")
		response.Write([]byte("Hello, World!"))
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
