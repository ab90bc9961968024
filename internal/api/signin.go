package api

func (s *Server) signInRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/auth/link/{token}", Public: true, Handle: s.loginByLink},
		{Method: "POST", Path: "/api/auth/login", Public: true, Handle: s.login},
		{Method: "POST", Path: "/api/auth/logout", Public: true, Handle: s.logout},
	}
}
