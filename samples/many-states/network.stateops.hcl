# The network gets a state of its own: changed rarely, and not by whoever deploys the web servers.
state "app" { path = "app" }
state "net" { path = "net" }

move {
  from = state.app.module.vpc
  to   = state.net.module.vpc
}

expect {
  serial = { app = 6 }
}
