resource "terraform_data" "release" {
  input            = { version = "1.5", env = "prod" }
  triggers_replace = "eu-west-1"
}

moved {
  from = terraform_data.app
  to   = terraform_data.release
}
