package fetch

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	smallBuffer = 16 << 10 // the smallest pooled buffer
	bufferSizes = 13       // up to 1 MB; larger ones are left to the garbage collector
	firstBuffer = 64 << 10 // of a body of unknown length; most feeds fit
	inflation   = 4        // how many times the wire's length a compressed feed is, as a rule
	maxWire     = 1 << 20  // of compressed bytes kept for the crawler
	// maxWindow is the largest window a zstd content coding may ask for (RFC 9659).
	maxWindow = 8 << 20
)

var (
	errTooLarge = errors.New("body over the limit")
	errEncoding = errors.New("unsupported content encoding")
)

// buffer is a growing byte slice whose memory comes from pools.
type buffer struct {
	b    []byte
	from *pools
}

// pools keep what is expensive to make. Each decoder is reset before it goes back, so that it holds no connection.
// Buffers are pooled by size: were there one pool for all, each would grow with time to the size of the
// largest feed it ever held, and 64 feeds in flight would keep as many megabytes.
type pools struct {
	readers, gzips, brotlis, zstds sync.Pool
	buffers                        [bufferSizes]sync.Pool
}

// bufferSize returns the sizes of pooled buffers: 16, 24, 32, 48, 64 KB and so on.
func bufferSize(i int) int { return smallBuffer << (i / 2) * (2 + i%2) / 2 }

// getBuffer returns an empty buffer with room for n bytes.
func (p *pools) getBuffer(n int64) *buffer {
	for i := range p.buffers {
		size := int64(bufferSize(i))
		if size < n {
			continue
		}
		if b, ok := p.buffers[i].Get().(*buffer); ok {
			b.b = b.b[:0]
			return b
		}
		return &buffer{b: make([]byte, 0, size), from: p}
	}
	return &buffer{b: make([]byte, 0, n), from: p}
}

func (p *pools) putBuffer(b *buffer) {
	if b == nil {
		return
	}
	for i := range p.buffers {
		if cap(b.b) == bufferSize(i) {
			p.buffers[i].Put(b)
			return
		}
	}
}

// grow makes room for at least n bytes in total, and releases the smaller memory.
func (b *buffer) grow(n int64) {
	larger := b.from.getBuffer(n)
	larger.b = append(larger.b, b.b...)
	b.b, larger.b = larger.b, b.b
	b.from.putBuffer(larger)
}

// wireReader counts the bytes of the wire, stops at a limit, and keeps a copy while that stays small.
type wireReader struct {
	src   io.Reader
	n     int64
	limit int64
	keep  *buffer // nil = keep nothing
}

// wireError marks an error of the connection, to tell it from one of a decoder.
type wireError struct{ error }

func (e wireError) Unwrap() error { return e.error }

func (w *wireReader) Read(p []byte) (int, error) {
	n, err := w.src.Read(p)
	w.n += int64(n)
	if w.n > w.limit {
		return n, errTooLarge
	}
	if err != nil && err != io.EOF {
		err = wireError{err}
	}
	if w.keep != nil {
		if len(w.keep.b)+n > maxWire {
			w.keep = nil
		} else {
			if len(w.keep.b)+n > cap(w.keep.b) {
				w.keep.grow(int64(max(2*cap(w.keep.b), len(w.keep.b)+n)))
			}
			w.keep.b = append(w.keep.b, p[:n]...)
		}
	}
	return n, err
}

// readBody reads and decodes a body into the response. length is the announced one, -1 when unknown. On
// error the response holds what was decoded until then.
func (p *pools) readBody(r *Response, src io.Reader, encoding string, length, limit int64) error {
	coding, err := oneCoding(encoding)
	if err != nil {
		return err
	}
	if length > limit {
		return errTooLarge // also of compressed bytes: they would only grow
	}
	out := p.getBuffer(guess(coding, length, limit))
	wire := &wireReader{src: src, limit: limit}
	var kept *buffer
	if coding == "gzip" {
		kept = p.getBuffer(min(max(length, 0), maxWire))
		wire.keep = kept
	}
	err = p.decode(out, wire, coding, limit)
	r.WireBytes = wire.n
	r.pool, r.bufs, r.Body = p, [2]*buffer{out, kept}, out.b
	if err == nil && wire.keep != nil && wire.n > 0 {
		r.Wire, r.WireEncoding = kept.b, "gzip"
	}
	return err
}

// guess estimates the decoded size of a body from its announced length.
func guess(coding string, length, limit int64) int64 {
	switch {
	case length < 0:
		return firstBuffer
	case coding == "":
		return length + 1 // one to spare: the read that finds the end needs room
	}
	return min(inflation*length, firstBuffer*inflation, limit+1)
}

// oneCoding reads Content-Encoding. Stacked codings are refused: no honest feed uses them, and each layer
// multiplies what a bomb can do. A few servers put a charset there, which encodes nothing.
func oneCoding(header string) (string, error) {
	found := ""
	for c := range strings.SplitSeq(header, ",") {
		c = strings.ToLower(strings.TrimSpace(c))
		switch c {
		case "", "identity", "none", "utf-8", "utf8":
			continue
		case "x-gzip":
			c = "gzip"
		case "gzip", "br", "zstd", "deflate":
		default:
			return "", errEncoding
		}
		if found != "" {
			return "", errEncoding
		}
		found = c
	}
	return found, nil
}

// decode fills out from the wire through the decoder of a coding.
func (p *pools) decode(out *buffer, wire *wireReader, coding string, limit int64) (err error) {
	if coding == "" {
		return readAll(out, wire, limit)
	}
	in := pooled(&p.readers, func() *bufio.Reader { return bufio.NewReaderSize(nil, 16<<10) })
	in.Reset(wire)
	defer func() {
		in.Reset(nil)
		p.readers.Put(in)
	}()
	if _, err := in.Peek(1); err != nil {
		if err == io.EOF {
			return nil // an empty body is empty in every coding
		}
		return err
	}
	switch coding {
	case "gzip":
		z := pooled(&p.gzips, func() *gzip.Reader { return new(gzip.Reader) })
		defer p.gzips.Put(z)
		if err := z.Reset(in); err != nil {
			return err
		}
		return readAll(out, z, limit)
	case "br":
		z := pooled(&p.brotlis, func() *brotli.Reader { return brotli.NewReader(nil) })
		defer p.brotlis.Put(z)
		if err := z.Reset(in); err != nil {
			return err
		}
		return readAll(out, z, limit)
	case "zstd":
		return p.unzstd(out, in, limit)
	}
	return inflate(out, in, limit)
}

// pooled takes a value from a pool, or makes one.
func pooled[T any](pool *sync.Pool, make func() T) T {
	if v, ok := pool.Get().(T); ok {
		return v
	}
	return make()
}

func (p *pools) unzstd(out *buffer, in *bufio.Reader, limit int64) error {
	z, ok := p.zstds.Get().(*zstd.Decoder)
	if !ok {
		var err error
		z, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1), // no goroutines: a pooled decoder is never closed
			zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
	}
	defer func() {
		if z.Reset(nil) == nil {
			p.zstds.Put(z)
		}
	}()
	if err := z.Reset(in); err != nil {
		return err
	}
	return readAll(out, z, limit)
}

// inflate reads "deflate", which is the zlib format (RFC 9110, 8.4.1.2) and, from servers that misread the
// name, raw DEFLATE. It is not offered and rare, so its decoders are not pooled.
func inflate(out *buffer, in *bufio.Reader, limit int64) error {
	head, err := in.Peek(2)
	if err != nil {
		return err
	}
	if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		z, err := zlib.NewReader(in)
		if err != nil {
			return err
		}
		return readAll(out, z, limit)
	}
	return readAll(out, flate.NewReader(in), limit)
}

// readAll appends r to out, and stops as soon as there is more than the limit.
func readAll(out *buffer, r io.Reader, limit int64) error {
	for {
		if len(out.b) == cap(out.b) {
			// Doubling, but no further than the limit: append's own steps would sum up to twice as much.
			out.grow(min(2*int64(cap(out.b)), max(limit+1, int64(cap(out.b))+1)))
		}
		room := out.b[len(out.b):cap(out.b)]
		if spare := limit + 1 - int64(len(out.b)); int64(len(room)) > spare {
			room = room[:spare]
		}
		n, err := r.Read(room)
		out.b = out.b[:len(out.b)+n]
		if int64(len(out.b)) > limit {
			return errTooLarge
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
