package api

func (s *Server) ruleRoutes() []Route { return nil }
