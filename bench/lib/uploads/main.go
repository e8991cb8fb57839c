// A server that reads what is uploaded and answers, over HTTP/1.1 and HTTP/2 without TLS. Its argument is the port.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	handler := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			io.WriteString(w, "read")
		}
	}
	server := &http.Server{Addr: "127.0.0.1:" + os.Args[1], Protocols: protocols, Handler: http.HandlerFunc(handler)}
	log.Fatal(server.ListenAndServe())
}
