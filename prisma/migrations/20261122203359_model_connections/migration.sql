-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "model" TEXT,
ADD COLUMN     "parameters" JSONB;

-- CreateTable
CREATE TABLE "model_connections" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "api_key" TEXT,
    "headers" TEXT,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_connections_pkey" PRIMARY KEY ("id")
);
