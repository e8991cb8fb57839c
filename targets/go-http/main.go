// Go's net/http, without a framework: the same handler over HTTP/1.1 or HTTP/2, with TLS or without.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"log"
	"math/big"
	"net"
	"net/http"
	"time"
)

func main() {
	address := flag.String("address", "127.0.0.1:8080", "where to listen")
	encrypted := flag.Bool("tls", false, "speak TLS, with a certificate of its own")
	http2 := flag.Bool("http2", false, "speak HTTP/2 alone, else HTTP/1.1 alone")
	flag.Parse()

	body := []byte("Hello, World!")
	mux := http.NewServeMux()
	mux.HandleFunc("/plaintext", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write(body)
	})
	server := &http.Server{Handler: mux, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(!*http2)
	server.Protocols.SetHTTP2(*http2 && *encrypted)
	server.Protocols.SetUnencryptedHTTP2(*http2 && !*encrypted)

	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	if !*encrypted {
		log.Fatal(server.Serve(listener))
	}
	certificate, err := selfSigned()
	if err != nil {
		log.Fatal(err)
	}
	server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
	log.Fatal(server.ServeTLS(listener, "", ""))
}

// selfSigned makes a certificate on the curve P-256, as nginx has it here.
func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{"localhost"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
