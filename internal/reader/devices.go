package reader

import "encoding/binary"

// MaxDevices limits the devices of a user that a subscription remembers.
const MaxDevices = 4

// Devices holds the last flush counter of up to four devices, newest first, in 8 bytes each. A flush that a device
// repeats after losing the answer must do nothing, or it would revert later changes of another device.
type Devices []byte

// Admit reports whether a device's flush is new, and returns the counters with it. A counter not greater than the
// remembered one was applied before. Device zero has no counter: always new.
func (d Devices) Admit(device, counter uint32) (Devices, bool) {
	if device == 0 {
		return d, true
	}
	out := make(Devices, 0, MaxDevices*8)
	out = binary.BigEndian.AppendUint32(out, device)
	out = binary.BigEndian.AppendUint32(out, counter)
	for b := d; len(b) >= 8; b = b[8:] {
		if binary.BigEndian.Uint32(b) != device {
			if len(out) < MaxDevices*8 {
				out = append(out, b[:8]...)
			}
			continue
		}
		if counter <= binary.BigEndian.Uint32(b[4:]) {
			return d, false
		}
	}
	return out, true
}
