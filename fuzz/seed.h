/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that make seeds (ibfuzz-seeds). */
#ifndef FUZZ_SEED_H
#define FUZZ_SEED_H
#include "records.h"
#include "world.h"

enum { SEED_ROOM = 4096, SEED_VARIANTS = 4 };

/* ---- seed_file.c ---- */
/* Sets the folder for seeds, and creates it if it does not exist. */
void seed_folder(const char *path);
/* Writes a seed to the file FOLDER/target/name. */
void seed_save(const char *target, const char *name, const uint8_t *p, size_t n);
/* seed_save() with the name WHAT-a-b. */
void seed_save_steps(const char *target, const char *what, unsigned a, unsigned b, const uint8_t *p, size_t n);
/* Writes settings, and returns their length. Variants: default; QPs that only receive; QPs with few rights; InfiniBand
 * with GRHs and an armed alternate path. */
size_t seed_settings(uint8_t *to, uint8_t link, unsigned variant);
size_t seed_record(uint8_t *to, uint8_t kind, const uint8_t *body, size_t n);

/* ---- seed_steps.c ---- */
/* A request or response as world_craft() takes it: payload as the opcode wants it, then where it goes. */
size_t seed_craft(uint8_t *to, uint8_t qp, uint8_t opcode, uint8_t delta, uint8_t region, uint16_t length);
/* Writes the frame of the first step after these settings, which takes at most SEED_ROOM bytes. Returns its length. */
size_t seed_crafted(uint8_t *frame, const uint8_t *head, const uint8_t *packet, size_t n);

void seed_frames(void);          /* packets and datagrams: seed_frame.c */
void seed_steps(uint8_t link);   /* packets at one adapter: seed_steps.c */
void seed_verbs(uint8_t link);   /* states that only verbs reach: seed_world.c */
void seed_changed(uint8_t link); /* two adapters with deviations: seed_world.c */
/* seed_whole.c: a capture */
void seed_whole(const char *path);
#endif
