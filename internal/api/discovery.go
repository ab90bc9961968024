package api

func (s *Server) discoveryRoutes() []Route { return nil }
