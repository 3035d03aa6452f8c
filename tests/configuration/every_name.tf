# Every block type and argument in the variables of type hcl.BodySchema in internal/configs of OpenTofu (main branch of
# August 2026) and Terraform (1.17.0-dev), except those of test, query and state migration files.
terraform {
  required_version = ">= 1.0"
  experiments      = []
  language         = TF2021
  required_providers {}
  provider_meta "a" {}
  encryption {}
  state_store "a" {
    provider "a" {}
  }
  backend "a" {}
  cloud {}
}
language {
  edition     = tofu2024
  experiments = []
  compatible_with {
    opentofu = ">= 1.12"
  }
}
provider "a" {
  alias    = "b"
  version  = "1.0"
  for_each = {}
  _ {}
}
variable "a" {
  description = ""
  default     = 1
  type        = number
  sensitive   = false
  ephemeral   = false
  const       = false
  deprecated  = ""
  nullable    = false
  validation {
    condition     = true
    error_message = ""
  }
}
locals {
  a = 1
}
output "a" {
  description = ""
  value       = 1
  depends_on  = []
  sensitive   = false
  ephemeral   = false
  deprecated  = ""
  type        = number
  precondition {}
  postcondition {}
}
module "a" {
  source                     = "./a"
  version                    = "1.0"
  count                      = 1
  for_each                   = {}
  depends_on                 = []
  providers                  = {}
  ignore_nested_deprecations = true
  _ {}
  lifecycle {
    enabled = true
  }
}
resource "a" "a" {
  count      = 1
  for_each   = {}
  provider   = a
  depends_on = []
  lifecycle {
    create_before_destroy = true
    prevent_destroy       = true
    destroy               = true
    ignore_changes        = all
    replace_triggered_by  = []
    enabled               = true
    precondition {}
    postcondition {}
    action_trigger {
      events     = []
      condition  = true
      actions    = []
      on_failure = halt
    }
  }
  connection {}
  provisioner "a" {}
  _ {}
}
data "a" "a" {
  lifecycle {
    enabled = true
    precondition {}
    postcondition {}
  }
  _ {}
}
ephemeral "a" "a" {
  lifecycle {
    enabled = true
    precondition {}
    postcondition {}
  }
  _ {}
}
action "a" "a" {
  count    = 1
  for_each = {}
  provider = a
  config {}
}
moved {
  from = a.a
  to   = a.b
}
removed {
  from = a.a
  lifecycle {
    destroy = true
  }
  connection {}
  provisioner "a" {}
}
import {
  to       = a.a
  id       = ""
  identity = {}
  provider = a
  for_each = {}
}
check "a" {
  data "a" "b" {}
  assert {}
}
