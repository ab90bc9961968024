//go:build !unix

package sqlitetable

// alone has no locks on this system: whether other processes have the file open is not known.
type alone struct{}

func openAlone(string) (*alone, error) { return &alone{}, nil }

// Alone implements table.Soloist.
func (d *Driver) Alone(func(stayed bool)) bool { return false }

func (a *alone) close() {}
