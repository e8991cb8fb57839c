// A WebSocket echo with github.com/coder/websocket, a goroutine for each connection.
package main

import (
	"flag"
	"log"
	"net/http"

	"github.com/coder/websocket"
)

func main() {
	address := flag.String("address", "127.0.0.1:8080", "where to listen")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*address, http.HandlerFunc(echo)))
}

func echo(w http.ResponseWriter, r *http.Request) {
	connection, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer connection.CloseNow()
	connection.SetReadLimit(1 << 20)
	for {
		kind, message, err := connection.Read(r.Context())
		if err != nil {
			return
		}
		if connection.Write(r.Context(), kind, message) != nil {
			return
		}
	}
}
