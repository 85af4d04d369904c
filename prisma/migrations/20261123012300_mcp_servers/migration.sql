-- CreateTable
CREATE TABLE "mcp_servers" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT,
    "command" TEXT,
    "arguments" TEXT[],
    "sealed_key" TEXT,
    "sealed_headers" TEXT,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "audience" TEXT NOT NULL DEFAULT 'admins',
    "user_ids" UUID[],
    "rules" JSONB NOT NULL DEFAULT '{}',
    "tools" JSONB NOT NULL DEFAULT '[]',
    "problem" TEXT,
    "checked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mcp_servers_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_audience_check" CHECK ("audience" IN ('everyone', 'admins', 'chosen'));
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_place_check" CHECK (("url" IS NULL) <> ("command" IS NULL));
