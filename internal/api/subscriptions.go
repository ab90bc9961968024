package api

func (s *Server) subscriptionRoutes() []Route { return nil }
