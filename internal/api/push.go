package api

import (
	"encoding/base64"
	"net/http"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/webhook/push"
)

type deviceJSON struct {
	ID           string `json:"id"`
	Name         string `json:"name"` // empty when unknown
	Language     string `json:"language"`
	CreatedAt    moment `json:"createdAt"`
	DeliveredAt  moment `json:"lastDeliveredAt"` // to the day
	FailingSince moment `json:"failingSince"`
}

type notificationsJSON struct {
	PublicKey string       `json:"publicKey"`
	Folders   []numberJSON `json:"folderIds"`
	Searches  []numberJSON `json:"searchIds"`
	Quiet     *quietJSON   `json:"quietHours"` // null: none
	Devices   []deviceJSON `json:"devices"`
}

// quietJSON are quiet hours, in minutes of the day in a time zone of the IANA database.
type quietJSON struct {
	From     int    `json:"from"`
	To       int    `json:"to"`
	TimeZone string `json:"timeZone"`
}

func (s *Server) pushRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/notifications", Person: true, Handle: s.notifications},
		{Method: "PATCH", Path: "/api/notifications", Person: true, Handle: with(s.changeNotifications)},
		{Method: "POST", Path: "/api/notifications/devices", Person: true, Handle: with(s.addDevice)},
		{Method: "DELETE", Path: "/api/notifications/devices/{id}", Person: true, Handle: s.removeDevice},
		{Method: "POST", Path: "/api/notifications/devices/{id}/test", Person: true, Handle: s.testDevice},
	}
}

func (s *Server) notifications(r *request) error {
	set, err := s.Push.Settings(r.Context(), r.user)
	if err != nil {
		return err
	}
	number := func(id int32) numberJSON { return numberJSON(id) }
	out := notificationsJSON{PublicKey: set.PublicKey, Folders: mapped(set.Row.Folders, number),
		Searches: mapped(set.Row.Searches, number), Devices: mapped(set.Devices, deviceShape)}
	if set.Row.QuietFrom != set.Row.QuietTo {
		out.Quiet = &quietJSON{set.Row.QuietFrom, set.Row.QuietTo, set.Row.Zone}
	}
	return r.json(http.StatusOK, out)
}

func deviceShape(d *store.DeviceRow) deviceJSON {
	return deviceJSON{ID: d.ID(), Name: d.Name, Language: d.Language, CreatedAt: moment(d.Created / 1000),
		DeliveredAt: moment(d.Okay / 1000), FailingSince: moment(d.Failing / 1000)}
}

func (s *Server) changeNotifications(r *request, in struct {
	Folders  *[]numberJSON       `json:"folderIds"`
	Searches *[]numberJSON       `json:"searchIds"`
	Quiet    optional[quietJSON] `json:"quietHours"`
}) error {
	c := push.Change{}
	if in.Folders != nil {
		list := mapped(*in.Folders, func(n numberJSON) reader.FolderID { return reader.FolderID(n) })
		c.Folders = &list
	}
	if in.Searches != nil {
		list := mapped(*in.Searches, func(n numberJSON) reader.SearchID { return reader.SearchID(n) })
		c.Searches = &list
	}
	if in.Quiet.given {
		q := in.Quiet.or(quietJSON{})
		c.Quiet = &push.Quiet{From: q.From, To: q.To, Zone: q.TimeZone}
	}
	if err := s.Push.Change(r.Context(), r.user, c); err != nil {
		return err
	}
	return s.notifications(r)
}

// addDevice takes what the browser's PushSubscription says of itself.
func (s *Server) addDevice(r *request, in struct {
	Endpoint string `json:"endpoint" required:"true"`
	Expires  *int64 `json:"expirationTime"` // browsers send it, always null
	Keys     struct {
		P256dh string `json:"p256dh" required:"true"`
		Auth   string `json:"auth" required:"true"`
	} `json:"keys" required:"true"`
}) error {
	public, bad := base64.RawURLEncoding.DecodeString(in.Keys.P256dh)
	secret, err := base64.RawURLEncoding.DecodeString(in.Keys.Auth)
	if bad != nil || err != nil {
		return fault.Coded(fault.Invalid, "bad_device").At("keys")
	}
	d, err := s.Push.Register(r.Context(), r.user, push.Device{Endpoint: in.Endpoint, Public: public, Auth: secret,
		Language: r.language(), Agent: r.UserAgent(), Session: r.session.ID})
	return answerOne(r, http.StatusCreated, "device", d, deviceShape, err)
}

func (s *Server) removeDevice(r *request) error {
	return r.done(s.Push.Remove(r.Context(), r.user, r.PathValue("id")))
}

func (s *Server) testDevice(r *request) error {
	return r.done(s.Push.Test(r.Context(), r.user, r.PathValue("id")))
}
