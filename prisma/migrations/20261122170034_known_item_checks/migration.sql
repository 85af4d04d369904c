-- CreateTable
CREATE TABLE "known_item_checks" (
    "user_id" UUID NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL,
    "asked" INTEGER NOT NULL,
    "found" INTEGER NOT NULL,
    "found_by_words" INTEGER NOT NULL,
    "asked_by_meaning" INTEGER,
    "found_by_meaning" INTEGER,

    CONSTRAINT "known_item_checks_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "known_item_checks_measured_at_idx" ON "known_item_checks"("measured_at");

-- AddForeignKey
ALTER TABLE "known_item_checks" ADD CONSTRAINT "known_item_checks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
