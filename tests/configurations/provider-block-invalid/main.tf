provider "aws" {
  alias   = "twice"
  version = "about 5"

  lifecycle {}

  locals {}

  _ {}

  _ {}
}

provider "aws" {
  alias  = "2nd"
  source = "hashicorp/aws"
}

provider "google" {
  version = var.version
}
