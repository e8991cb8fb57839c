module uploads

go 1.24
