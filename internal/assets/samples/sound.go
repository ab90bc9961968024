package samples

import (
	"bytes"
	"encoding/binary"
	"math"
)

// An episode is a second of sound: uncompressed, 8 kHz, 8 bit, one channel, which every browser plays.
const (
	soundRate    = 8000 // samples a second
	soundSeconds = 1
	soundHeader  = 44
	soundSize    = soundHeader + soundRate*soundSeconds // bytes of the file
)

// sound makes the file of an episode: its notes struck together, as a bell.
func sound(tones []float64) []byte {
	var b bytes.Buffer
	const samples = soundRate * soundSeconds
	b.WriteString("RIFF")
	for _, v := range []any{
		uint32(soundSize - 8), [8]byte([]byte("WAVEfmt ")), uint32(16),
		uint16(1), uint16(1), uint32(soundRate), uint32(soundRate), uint16(1), uint16(8), // PCM, mono
		[4]byte([]byte("data")), uint32(samples),
	} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err) // fixed sizes into memory
		}
	}
	for i := range samples {
		t := float64(i) / soundRate
		envelope := math.Min(1, t*200) * math.Exp(-4*t)
		var wave float64
		for _, hz := range tones {
			wave += math.Sin(2*math.Pi*hz*t) / float64(len(tones))
		}
		b.WriteByte(byte(128 + math.Round(100*envelope*wave)))
	}
	return b.Bytes()
}
