package transfer

import (
	"encoding/json"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// An archive is a tar file, compressed with gzip, that any machine can open:
//
//	manifest.json      format, version, the installation's owner, when and from where
//	rows/00000001.jsonl …  one row a line, as DynamoDB's own exports write them: {"row":{"pk":{"S":…},…}}
//	blobs/feeds/… blobs/stars/…  bodies byte for byte; content type and metadata as JSON in the PAX record RURI.meta
//	end.json           counts and hashes by kind, and the hash of all that came before
//
// An archive without its end is refused.
const (
	archiveFormat  = "ruri-backup"
	archiveVersion = 1

	manifestName = "manifest.json"
	endName      = "end.json"
	rowsDir      = "rows/"
	blobsDir     = "blobs/"
	metaRecord   = "RURI.meta"

	// Limits of the reader, so that a hostile archive cannot fill memory or disk with a few bytes.
	maxManifest = 64 << 10
	maxEnd      = 64 << 10
	chunkBytes  = 1 << 20 // a chunk of rows ends here
	maxLine     = 2 << 20 // a row of 400 KB, its bytes as base64 or its texts escaped
	maxChunk    = chunkBytes + maxLine
	maxExpand   = 200 // bytes out of one byte of archive, beyond freeExpand
	freeExpand  = 64 << 20
)

type manifest struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Home    string    `json:"home"`
	From    string    `json:"from"`
	Made    time.Time `json:"made"`
	Program string    `json:"program"`
}

type archiveEnd struct {
	Kinds  []Line `json:"kinds"`
	Files  int64  `json:"files"` // entries before this one
	SHA256 string `json:"sha256"`
}

type archiveLine struct {
	Row json.RawMessage `json:"row"`
}

type archiveMeta struct {
	Type     string            `json:"type,omitempty"`
	Encoding string            `json:"encoding,omitempty"`
	User     map[string]string `json:"user,omitempty"`
}

func damaged(what string) error {
	return fault.Newf(fault.Invalid, "archive_damaged", "The archive is damaged: %s. Nothing was restored from it.",
		what)
}
