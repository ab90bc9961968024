package fetch

import (
	"bufio"
	"bytes"
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

// pools keep decoders and buffers, which are expensive to make. A decoder is reset before it goes back, so that it
// holds no connection.
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

// wireError marks an error of the connection, as opposed to an error of a decoder.
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

// readBody reads and decodes a body into the response. length is the announced one, -1 when unknown. On error the
// response holds the part decoded so far. The header's announcement is a hint: servers compress without saying so, say
// so without doing it, and do it twice, so the first bytes decide. At most two layers are taken off, and the limit
// holds for the output of each.
func (p *pools) readBody(r *Response, src io.Reader, encoding string, length, limit int64) error {
	announced, err := codings(encoding)
	if err != nil {
		return err
	}
	if length > limit {
		return errTooLarge // also of compressed bytes: they would only grow
	}
	last := announced[1]
	out := p.getBuffer(guess(last, length, limit))
	wire := &wireReader{src: src, limit: limit}
	r.pool, r.bufs[0] = p, out
	layers := 0
	if last == "" {
		err = readAll(out, wire, limit)
	} else if last, err = p.readLayer(r, out, wire, last, length, limit); last != "" {
		layers++
	}
	r.WireBytes = wire.n
	for err == nil && layers < maxLayers {
		next, failure := layerOf(out.b, announced[0])
		if failure != nil || next == "" {
			err = failure
			break
		}
		inner := p.getBuffer(guess(next, int64(len(out.b)), limit))
		err = p.decode(inner, bytes.NewReader(out.b), next, limit)
		p.dropWire(r)
		if layers == 0 && next == "gzip" && len(out.b) <= maxWire && err == nil {
			r.bufs[1], r.Wire, r.WireEncoding = out, out.b, "gzip"
		} else {
			p.putBuffer(out)
		}
		out, r.bufs[0], r.OpenEnded = inner, inner, false
		announced[0] = ""
		layers++
	}
	if err == nil && layers == 0 {
		out = p.unannouncedBrotli(r, out, limit)
	}
	r.Body = out.b
	return err
}

// readLayer takes the outermost layer off while the body arrives, and returns its coding, "" when there was none. The
// bytes of the wire are kept where they are gzip.
func (p *pools) readLayer(r *Response, out *buffer, wire *wireReader, announced string, length,
	limit int64) (coding string, err error) {
	in := pooled(&p.readers, func() *bufio.Reader { return bufio.NewReaderSize(nil, 16<<10) })
	in.Reset(wire)
	defer func() {
		in.Reset(nil)
		p.readers.Put(in)
	}()
	head, err := in.Peek(headBytes)
	if len(head) == 0 {
		if errors.Is(err, io.EOF) {
			err = nil // an empty body is empty in every coding
		}
		return "", err
	}
	if coding, err = layerOf(head, announced); err != nil {
		return "", err
	}
	if coding == "gzip" {
		kept := p.getBuffer(min(max(length, int64(in.Buffered())), maxWire))
		all, _ := in.Peek(in.Buffered())
		kept.b = append(kept.b, all...)
		wire.keep, r.bufs[1] = kept, kept
	}
	err = p.decode(out, in, coding, limit)
	if err == nil && wire.keep != nil {
		r.Wire, r.WireEncoding = wire.keep.b, "gzip"
	}
	return coding, err
}

// dropWire forgets the bytes of the wire: they are not those of the body in one layer of gzip.
func (p *pools) dropWire(r *Response) {
	p.putBuffer(r.bufs[1])
	r.bufs[1], r.Wire, r.WireEncoding = nil, nil, ""
}

const (
	maxLayers = 2
	headBytes = 64 // looked at to tell text from compressed data
)

// layerOf decides by the first bytes which coding there is; those of brotli and raw DEFLATE have no mark, so that the
// header is believed unless the bytes are plainly XML, HTML or JSON.
func layerOf(b []byte, announced string) (coding string, err error) {
	switch {
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		return "gzip", nil
	case bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")):
		return "zstd", nil
	case bytes.HasPrefix(b, []byte("\x78\x01")), bytes.HasPrefix(b, []byte("\x78\x9c")),
		bytes.HasPrefix(b, []byte("\x78\xda")):
		return "deflate", nil // in the zlib format
	case isPlain(b):
		return "", nil
	case announced == "br", announced == "deflate":
		return announced, nil
	case announced == unknownCoding:
		return "", errEncoding
	}
	return "", nil
}

// isPlain reports a beginning of XML, HTML or JSON.
func isPlain(b []byte) bool {
	b = b[:min(len(b), headBytes)]
	if bytes.ContainsFunc(b, isBinary) {
		return false
	}
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	return len(b) > 0 && (b[0] == '<' || b[0] == '{' || b[0] == '[')
}

func isBinary(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }

// unannouncedBrotli takes off a layer of brotli that nothing announces and no mark shows: if a body that should be text
// is none, and is text without the layer.
func (p *pools) unannouncedBrotli(r *Response, out *buffer, limit int64) *buffer {
	t := strings.ToLower(r.ContentType)
	isText := t == "" || strings.Contains(t, "text/") || strings.Contains(t, "xml") || strings.Contains(t, "json") ||
		strings.Contains(t, "rss")
	if !isText || isPlain(out.b) || !bytes.ContainsFunc(out.b[:min(len(out.b), 4*headBytes)], isBinary) {
		return out
	}
	inner := p.getBuffer(guess("br", int64(len(out.b)), limit))
	if p.decode(inner, bytes.NewReader(out.b), "br", limit) != nil || !isPlain(inner.b) {
		p.putBuffer(inner)
		return out
	}
	p.putBuffer(out)
	r.bufs[0], r.OpenEnded = inner, false
	return inner
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

// unknownCoding stands for one that this package does not have.
const unknownCoding = "?"

// codings reads Content-Encoding: at most two, the last one applied in the last place. Each layer multiplies what a
// bomb can do. A few servers put a charset there, which encodes nothing.
func codings(header string) (found [maxLayers]string, err error) {
	for c := range strings.SplitSeq(header, ",") {
		c = strings.ToLower(strings.TrimSpace(c))
		switch c {
		case "", "identity", "none", "utf-8", "utf8":
			continue
		case "x-gzip":
			c = "gzip"
		case "gzip", "br", "zstd", "deflate":
		default:
			c = unknownCoding
		}
		if found[0] != "" {
			return found, errEncoding
		}
		found[0], found[1] = found[1], c
	}
	return found, nil
}

// decode fills out through the decoder of a coding; "" is none.
func (p *pools) decode(out *buffer, src io.Reader, coding string, limit int64) error {
	if coding == "" {
		return readAll(out, src, limit)
	}
	in, ok := src.(*bufio.Reader)
	if !ok {
		in = bufio.NewReader(src)
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
