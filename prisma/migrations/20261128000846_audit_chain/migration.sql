-- CreateTable
CREATE TABLE "audit_links" (
    "sequence" BIGINT NOT NULL,
    "entry_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_links_pkey" PRIMARY KEY ("sequence")
);

-- CreateTable
CREATE TABLE "audit_chain" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "verified_at" TIMESTAMPTZ(3),
    "broken_at" TIMESTAMPTZ(3),
    "sent_through" BIGINT NOT NULL DEFAULT 0,
    "sending_until" TIMESTAMPTZ(3),

    CONSTRAINT "audit_chain_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "audit_links_entry_id_key" ON "audit_links"("entry_id");
