package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

const (
	// recordSize is the size of the one record, which all push services accept.
	recordSize = 4096
	keySize    = 16
	nonceSize  = 12
	saltSize   = 16
	// maxMessage is the size of a record without its delimiter and tag.
	maxMessage = 3000
)

// encrypt encrypts a message for a browser (RFC 8291): one record in aes128gcm (RFC 8188). private is a key for this
// message alone.
func encrypt(message []byte, public *ecdh.PublicKey, auth []byte, private *ecdh.PrivateKey, salt []byte) ([]byte,
	error) {
	shared, err := private.ECDH(public)
	if err != nil {
		return nil, err
	}
	own := private.PublicKey().Bytes()
	info := slices.Concat([]byte("WebPush: info\x00"), public.Bytes(), own)
	ikm, err := hkdf.Key(sha256.New, shared, auth, string(info), sha256.Size)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", keySize)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", nonceSize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	header := binary.BigEndian.AppendUint32(slices.Clone(salt), recordSize)
	header = append(append(header, byte(len(own))), own...)
	const last = 2 // delimiter of the last record
	return gcm.Seal(header, nonce, append(slices.Clone(message), last), nil), nil
}
