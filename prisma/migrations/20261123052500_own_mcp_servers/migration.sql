-- AlterTable
ALTER TABLE "mcp_servers" ADD COLUMN     "user_id" UUID;

-- CreateIndex
CREATE INDEX "mcp_servers_user_id_idx" ON "mcp_servers"("user_id");

-- AddForeignKey
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A person's own server is never a program of this machine, and for nobody else.
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_own_check" CHECK ("user_id" IS NULL OR ("command" IS NULL AND "audience" = 'chosen' AND "user_ids" = ARRAY["user_id"]));
