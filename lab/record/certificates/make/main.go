// Makes chains of certificates and prints what crypto/x509 says about each, one line of JSON for each case.
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
var serial int64

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

type pair struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

type change = func(*x509.Certificate)

func ecKey() crypto.Signer  { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) }
func rsaKey() crypto.Signer { return must(rsa.GenerateKey(rand.Reader, 2048)) }
func edKey() crypto.Signer {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return must(key, err)
}

func issued(template *x509.Certificate, parent *pair, key crypto.Signer) *pair {
	serial++
	template.SerialNumber = big.NewInt(serial)
	if template.NotBefore.IsZero() {
		template.NotBefore, template.NotAfter = now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0)
	}
	if parent == nil {
		parent = &pair{template, key}
	}
	der := must(x509.CreateCertificate(rand.Reader, template, parent.certificate, key.Public(), parent.key))
	return &pair{must(x509.ParseCertificate(der)), key}
}

func authority(name string, key crypto.Signer, parent *pair, changes ...change) *pair {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true}
	for _, change := range changes {
		change(template)
	}
	return issued(template, parent, key)
}

func server(parent *pair, changes ...change) *pair {
	template := &x509.Certificate{
		DNSNames: []string{"hook.default.svc"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, change := range changes {
		change(template)
	}
	return issued(template, parent, ecKey())
}

// utf8Name is a subject whose common name is a UTF8String; that of Go is a PrintableString.
func utf8Name(name string) change {
	return func(c *x509.Certificate) {
		value := asn1.RawValue{Tag: asn1.TagUTF8String, Bytes: []byte(name)}
		attribute := struct {
			Type  asn1.ObjectIdentifier
			Value asn1.RawValue
		}{asn1.ObjectIdentifier{2, 5, 4, 3}, value}
		set := asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: must(asn1.Marshal(attribute))}
		c.RawSubject = must(asn1.Marshal([]asn1.RawValue{set}))
	}
}

// firstVersion is an authority of version 1, which has no extensions.
func firstVersion(name string) *pair {
	made := authority(name, ecKey(), nil)
	algorithm := pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}}
	raw := func(der []byte) asn1.RawValue { return asn1.RawValue{FullBytes: der} }
	c := made.certificate
	body := must(asn1.Marshal(struct {
		Serial    *big.Int
		Algorithm pkix.AlgorithmIdentifier
		Issuer    asn1.RawValue
		Validity  struct{ NotBefore, NotAfter time.Time }
		Subject   asn1.RawValue
		Key       asn1.RawValue
	}{big.NewInt(1), algorithm, raw(c.RawSubject), struct{ NotBefore, NotAfter time.Time }{c.NotBefore, c.NotAfter}, raw(c.RawSubject), raw(c.RawSubjectPublicKeyInfo)}))
	hash := crypto.SHA256.New()
	hash.Write(body)
	signature := must(made.key.Sign(rand.Reader, hash.Sum(nil), crypto.SHA256))
	der := must(asn1.Marshal(struct {
		Body      asn1.RawValue
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
	}{raw(body), algorithm, asn1.BitString{Bytes: signature, BitLength: len(signature) * 8}}))
	return &pair{must(x509.ParseCertificate(der)), made.key}
}

func record(title string, roots []*pair, chain ...*pair) {
	pool, intermediates := x509.NewCertPool(), x509.NewCertPool()
	result := struct {
		Title string   `json:"title"`
		Roots []string `json:"roots"`
		Chain []string `json:"chain"`
		Error string   `json:"error"`
	}{Title: title}
	encoded := func(p *pair) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.certificate.Raw}))
	}
	for _, root := range roots {
		pool.AddCert(root.certificate)
		result.Roots = append(result.Roots, encoded(root))
	}
	for i, link := range chain {
		if i > 0 {
			intermediates.AddCert(link.certificate)
		}
		result.Chain = append(result.Chain, encoded(link))
	}
	_, err := chain[0].certificate.Verify(x509.VerifyOptions{
		Roots: pool, Intermediates: intermediates, CurrentTime: now, DNSName: "hook.default.svc",
	})
	if err != nil {
		result.Error = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}

func noAuthority(c *x509.Certificate)  { c.IsCA = false }
func noConstraint(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = false, false }
func onlyCRLs(c *x509.Certificate)     { c.KeyUsage = x509.KeyUsageCRLSign }
func signs(c *x509.Certificate)        { c.KeyUsage = x509.KeyUsageCertSign }
func noPath(c *x509.Certificate)       { c.MaxPathLen, c.MaxPathLenZero = 0, true }
func onePath(c *x509.Certificate)      { c.MaxPathLen = 1 }
func clients(c *x509.Certificate)      { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }
func servers(c *x509.Certificate)      { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }
func anyUsage(c *x509.Certificate)     { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageAny} }
func sha1(c *x509.Certificate)         { c.SignatureAlgorithm = x509.SHA1WithRSA }
func pss(c *x509.Certificate)          { c.SignatureAlgorithm = x509.SHA256WithRSAPSS }
func expired(c *x509.Certificate) {
	c.NotBefore, c.NotAfter = now.AddDate(-2, 0, 0), now.AddDate(-1, 0, 0)
}
func unknown(c *x509.Certificate) {
	c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 2, 3, 4}, Critical: true, Value: []byte{5, 0}}}
}
func permits(names ...string) change {
	return func(c *x509.Certificate) { c.PermittedDNSDomains = names; c.PermittedDNSDomainsCritical = true }
}
func excludes(names ...string) change {
	return func(c *x509.Certificate) { c.ExcludedDNSDomains = names }
}
func excludesAddresses(c *x509.Certificate) {
	_, all, _ := net.ParseCIDR("10.0.0.0/8")
	c.ExcludedIPRanges = []*net.IPNet{all}
}
func address(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(10, 1, 2, 3)} }

func main() {
	root := authority("root", ecKey(), nil)
	list := func(p ...*pair) []*pair { return p }
	record("a server of an authority", list(root), server(root))
	record("without authorities of its name", list(authority("other", ecKey(), nil)), server(root))
	record("an authority with the name and another key", list(authority("root", ecKey(), nil)), server(root))
	record("an RSA authority with the name of an ECDSA one", list(authority("root", rsaKey(), nil)), server(root))
	record("an Ed25519 authority with the name of an ECDSA one", list(authority("root", edKey(), nil)), server(root))
	rsaRoot, edRoot := authority("root", rsaKey(), nil), authority("root", edKey(), nil)
	record("an ECDSA authority with the name of an RSA one", list(root), server(rsaRoot))
	record("an ECDSA authority with the name of an Ed25519 one", list(root), server(edRoot))
	record("an RSA authority with the name of another", list(authority("root", rsaKey(), nil)), server(rsaRoot))
	record("an Ed25519 authority with the name of another", list(authority("root", edKey(), nil)), server(edRoot))
	record("a server of an RSA authority", list(rsaRoot), server(rsaRoot))
	record("a server of an RSA authority, PSS", list(rsaRoot), server(rsaRoot, pss))
	record("a server of an Ed25519 authority", list(edRoot), server(edRoot))
	record("several authorities of the name", list(rsaRoot, edRoot, root), server(root))
	record("a SHA-1 signature", list(rsaRoot), server(rsaRoot, sha1))
	record("an authority whose name is encoded otherwise", list(authority("root", ecKey(), nil, utf8Name("root"))), server(root))
	utf8Root := authority("root", ecKey(), nil, utf8Name("root"))
	record("a server of an authority with a UTF8String", list(utf8Root), server(utf8Root))
	plain := authority("plain", ecKey(), nil, noAuthority)
	record("an authority that is none", list(plain), server(plain))
	bare := authority("bare", ecKey(), nil, noConstraint)
	record("an authority without basic constraints", list(bare), server(bare))
	first := firstVersion("first")
	record("an authority of version 1", list(first), server(first))
	crls := authority("crls", ecKey(), nil, onlyCRLs)
	record("an authority that may not sign certificates", list(crls), server(crls))
	may := authority("may", ecKey(), nil, signs)
	record("an authority that may sign certificates", list(may), server(may))
	late := authority("late", ecKey(), nil, expired)
	record("an expired authority", list(late), server(late))
	own := server(root)
	record("the certificate of the server itself is trusted", list(own), own)
	middle := authority("middle", ecKey(), root)
	record("an intermediate authority", list(root), server(middle), middle)
	record("an intermediate authority that is trusted", list(middle), server(middle))
	record("a missing intermediate authority", list(root), server(middle))
	notMiddle := authority("middle", ecKey(), root, noAuthority)
	record("an intermediate that is no authority", list(root), server(notMiddle), notMiddle)
	lateMiddle := authority("middle", ecKey(), root, expired)
	record("an expired intermediate authority", list(root), server(lateMiddle), lateMiddle)
	clientMiddle := authority("middle", ecKey(), root, clients)
	record("an intermediate authority of clients", list(root), server(clientMiddle), clientMiddle)
	serverMiddle := authority("middle", ecKey(), root, servers)
	record("an intermediate authority of servers", list(root), server(serverMiddle), serverMiddle)
	anyMiddle := authority("middle", ecKey(), root, anyUsage)
	record("an intermediate authority of any usage", list(root), server(anyMiddle), anyMiddle)
	clientRoot := authority("root", ecKey(), nil, clients)
	record("an authority of clients", list(clientRoot), server(clientRoot))
	record("a server certificate of any usage", list(root), server(root, anyUsage))
	record("a client certificate", list(root), server(root, clients))
	short := authority("short", ecKey(), nil, noPath)
	record("a path length of 0, a server", list(short), server(short))
	shortMiddle := authority("middle", ecKey(), short)
	record("a path length of 0, an intermediate", list(short), server(shortMiddle), shortMiddle)
	one := authority("one", ecKey(), nil, onePath)
	oneMiddle := authority("middle", ecKey(), one)
	oneLast := authority("last", ecKey(), oneMiddle)
	record("a path length of 1, an intermediate", list(one), server(oneMiddle), oneMiddle)
	record("a path length of 1, two intermediates", list(one), server(oneLast), oneLast, oneMiddle)
	record("an unknown critical extension of the server", list(root), server(root, unknown))
	odd := authority("middle", ecKey(), root, unknown)
	record("an unknown critical extension of an intermediate", list(root), server(odd), odd)
	names := authority("names", ecKey(), nil, permits("default.svc"))
	record("a permitted name", list(names), server(names))
	foreign := authority("names", ecKey(), nil, permits("example.com", "example.org"))
	record("a name that is not permitted", list(foreign), server(foreign))
	foreignMiddle := authority("middle", ecKey(), root, permits("example.com"))
	record("a name that an intermediate may not sign", list(root), server(foreignMiddle), foreignMiddle)
	without := authority("names", ecKey(), nil, excludes("default.svc"))
	record("an excluded name", list(without), server(without))
	elsewhere := authority("names", ecKey(), nil, excludes("kube-system.svc"))
	record("another excluded name", list(elsewhere), server(elsewhere))
	wild := func(c *x509.Certificate) { c.DNSNames = []string{"*.default.svc"} }
	record("a wildcard and an excluded name", list(without), server(without, wild))
	narrow := authority("names", ecKey(), nil, excludes("hook.default.svc"))
	record("a wildcard and an excluded name below it", list(narrow), server(narrow, wild))
	network := authority("names", ecKey(), nil, excludesAddresses)
	record("an excluded address", list(network), server(network, address))
	record("an excluded network without addresses", list(network), server(network))
}
