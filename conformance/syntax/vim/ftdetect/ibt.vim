autocmd BufNewFile,BufRead *.ibt setfiletype ibt
