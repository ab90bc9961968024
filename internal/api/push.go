package api

func (s *Server) pushRoutes() []Route { return s.webhookRoutes() }
