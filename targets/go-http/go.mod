module photofinish/go-http

go 1.24
