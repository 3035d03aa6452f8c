provider "amazon" {}

run "setup" {
  module {
    source = "./tests/setup"
  }

  providers = {
    aws = amazon
  }
}

run "main" {
  providers = {
    aws    = amazon
    google = google.west
  }
}
