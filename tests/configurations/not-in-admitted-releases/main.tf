terraform {
  required_version = ">= 1.10, < 1.14"
}

action "terraform_nothing" "a" {}

# OpenTofu 1.11 and later have this.
resource "terraform_data" "b" {
  lifecycle {
    enabled = true
  }
}

# Terraform 1.11 has both.
removed {
  from = terraform_data.c

  lifecycle {
    destroy = false
  }
}
