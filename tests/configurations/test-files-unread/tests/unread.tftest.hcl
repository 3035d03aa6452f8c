provider "aws" {
  region = "eu-west-1"
}

run "unread" {
  module {
    source = "example/none/aws"
  }

  providers = {
    google = aws
  }
}

run "main" {
  providers = {
    aws = aws
  }
}
