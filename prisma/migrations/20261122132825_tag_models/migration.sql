-- CreateTable
CREATE TABLE "tag_models" (
    "user_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "model" JSONB NOT NULL,
    "trained_on" INTEGER NOT NULL,
    "measured_on" INTEGER NOT NULL,
    "accuracy" DOUBLE PRECISION NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tag_models_pkey" PRIMARY KEY ("user_id")
);

-- AddForeignKey
ALTER TABLE "tag_models" ADD CONSTRAINT "tag_models_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What was learnt from everybody's things tells people of each other: each learns from their own, at the next run.
DELETE FROM classifiers WHERE kind = 'tag';
